-- Writes a salon's log anew from what its holder knows, where the store has forgotten or changed a part of it.
-- KEYS: 1 head, 2 log, 3 vault, 4 snap, 5 hands, 6 replies
-- ARGV: 1 epoch, 2 the last seq that the caller found, 3 channel, 4 what to write:
--       {seq, chain, base seq, snapshot or "", entries {{id, field, value, ...}, ...}, vault {seq, part, ...},
--        replies {player, replies, ...}, hands {hand, record, ...}, schema}
-- Answers {"MENDED"}, {"FENCED"} or {"GAP", last seq}.
local head = redis.call('HMGET', KEYS[1], 'epoch', 'seq')
if head[1] ~= ARGV[1] then return {'FENCED'} end
if head[2] ~= ARGV[2] then return {'GAP', head[2]} end
local plan = cmsgpack.unpack(ARGV[4])
redis.call('DEL', KEYS[2], KEYS[3], KEYS[4], KEYS[6])
if plan[4] ~= '' then redis.call('RPUSH', KEYS[4], plan[4]) end
for _, entry in ipairs(plan[5]) do redis.call('XADD', KEYS[2], unpack(entry)) end
for at, key in ipairs({3, 6, 5}) do
  local pairs_of = plan[5 + at]
  for each = 1, #pairs_of, 2 do redis.call('HSET', KEYS[key], pairs_of[each], pairs_of[each + 1]) end
end
redis.call('HSET', KEYS[1], 'seq', plan[1], 'chain', plan[2], 'base', plan[3], 'schema', plan[9])
redis.call('HDEL', KEYS[1], 'lost')
redis.call('PUBLISH', ARGV[3], plan[1])
return {'MENDED'}
