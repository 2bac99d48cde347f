-- Appends one commit to a salon's log, if the caller still holds the salon: all of it or nothing.
-- KEYS: 1 head, 2 log, 3 vault, 4 snap, 5 hands, 6 replies
-- ARGV: 1 epoch, 2 seq, 3 at, 4 player, 5 request id, 6 digest, 7 events, 8 note, 9 vault, 10 channel,
--       11 replies kept, 12 the hand that makes a retry stale, 13 schema; and where the log is folded or a hand's
--       record is written: 14 snapshot, 15 whole (1: a hand ended, 0: replaces the newest), 16 snapshots kept,
--       17 hand, 18 hand record, 19 hands kept, 20 for how many ms; empty where there is none
-- Answers {"APPENDED"}, {"FENCED"}, {"DUPLICATE", seq, epoch}, {"REUSED"} or {"GAP", last seq}.
local head = redis.call('HMGET', KEYS[1], 'epoch', 'seq', 'schema')
if head[1] ~= ARGV[1] then return {'FENCED'} end

local replies
if ARGV[5] ~= '' then
  local packed = redis.call('HGET', KEYS[6], ARGV[4])
  replies = packed and cmsgpack.unpack(packed) or {}
  for _, reply in ipairs(replies) do
    if reply[1] == ARGV[5] then
      if reply[2] ~= ARGV[6] then return {'REUSED'} end
      return {'DUPLICATE', tostring(reply[4]), reply[5]}
    end
  end
end

local seq = tonumber(ARGV[2])
if tonumber(head[2]) + 1 ~= seq then return {'GAP', head[2]} end

-- What nobody may see is down before anything that follows from it.
if ARGV[9] ~= '' then redis.call('HSET', KEYS[3], ARGV[2], ARGV[9]) end
local id = ARGV[1] .. '-' .. ARGV[2]
local entry = {'XADD', KEYS[2], id, 'e', ARGV[7], 't', ARGV[3]}
if ARGV[5] ~= '' then
  entry[#entry + 1] = 'r'; entry[#entry + 1] = ARGV[5]
  entry[#entry + 1] = 'p'; entry[#entry + 1] = ARGV[4]
end
if ARGV[8] ~= '' then entry[#entry + 1] = 'w'; entry[#entry + 1] = ARGV[8] end
redis.call(unpack(entry))
redis.call('HSET', KEYS[1], 'seq', ARGV[2])
if head[3] ~= ARGV[13] then redis.call('HSET', KEYS[1], 'schema', ARGV[13]) end

if replies then
  replies[#replies + 1] = {ARGV[5], ARGV[6], ARGV[12], seq, ARGV[1]}
  while #replies > tonumber(ARGV[11]) do table.remove(replies, 1) end
  redis.call('HSET', KEYS[6], ARGV[4], cmsgpack.pack(replies))
end

if ARGV[18] and ARGV[18] ~= '' then
  redis.call('HSET', KEYS[5], ARGV[17], ARGV[18])
  redis.call('HDEL', KEYS[5], string.format('%.0f', tonumber(ARGV[17]) - tonumber(ARGV[19])))
  redis.call('PEXPIRE', KEYS[5], ARGV[20])
end

if ARGV[14] and ARGV[14] ~= '' then
  local snapshot = id .. ':' .. ARGV[14]
  if ARGV[15] == '1' or redis.call('LLEN', KEYS[4]) == 0 then
    redis.call('LPUSH', KEYS[4], snapshot)
    redis.call('LTRIM', KEYS[4], 0, tonumber(ARGV[16]) - 1)
  else
    redis.call('LSET', KEYS[4], 0, snapshot)
  end
  redis.call('DEL', KEYS[3])
  -- Whole hands stay in the log: those that follow the oldest snapshot kept, once there are enough of them
  -- or long none ended.
  if ARGV[15] ~= '1' or redis.call('LLEN', KEYS[4]) >= tonumber(ARGV[16]) then
    local epoch, last = string.match(redis.call('LINDEX', KEYS[4], -1), '^(%d+)%-(%d+):')
    redis.call('XTRIM', KEYS[2], 'MINID', epoch .. '-' .. string.format('%.0f', tonumber(last) + 1))
  end
end

-- The entry itself, so that a feed that has all before it need not read it.
redis.call('PUBLISH', ARGV[10], id .. ' ' .. ARGV[3] .. ' ' .. ARGV[7])
return {'APPENDED'}
