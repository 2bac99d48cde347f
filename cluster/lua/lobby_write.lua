-- Writes a salon's row into its shard of the lobby, unless a newer one is there.
-- KEYS: 1 rows, 2 what is remembered of the salon's row when it has gone
-- ARGV: 1 salon, 2 epoch, 3 seq, 4 row, 5 index (same hash tag) or "" for a salon that is not listed, 6 score,
--       7 "1": the salon is over and its row goes, 8 ms for which that is remembered
-- Answers 1 where it was written.
local function newer(known)
  local epoch, seq = string.match(known, '^(%d+)%-(%d+)')
  epoch, seq = tonumber(epoch), tonumber(seq)
  local mine, my_seq = tonumber(ARGV[2]), tonumber(ARGV[3])
  return epoch > mine or (epoch == mine and seq > my_seq)
end
local old = redis.call('HGET', KEYS[1], ARGV[1])
if old then
  if newer(old) then return 0 end
  local index = string.match(old, '^%d+%-%d+|([^|]*)|')
  if index ~= '' and (index ~= ARGV[5] or ARGV[7] == '1') then redis.call('ZREM', index, ARGV[1]) end
else
  local gone = redis.call('GET', KEYS[2])
  if gone and newer(gone) then return 0 end
end
if ARGV[7] == '1' then
  redis.call('HDEL', KEYS[1], ARGV[1])
  redis.call('SET', KEYS[2], ARGV[2] .. '-' .. ARGV[3], 'PX', ARGV[8])
  return 1
end
redis.call('HSET', KEYS[1], ARGV[1], ARGV[2] .. '-' .. ARGV[3] .. '|' .. ARGV[5] .. '|' .. ARGV[4])
if ARGV[5] ~= '' then redis.call('ZADD', ARGV[5], ARGV[6], ARGV[1]) end
return 1
