-- Begins a salon's log with its first commit, once.
-- KEYS: 1 head, 2 log, 3 replies, 4 snap, 5 retired replies
-- ARGV: 1 at, 2 player, 3 request id, 4 digest, 5 events, 6 rules, 7 schema, 8 the hand that makes a retry stale,
--       9 chain after, 10 snapshot of a salon that is left alone at once, as a passivated one is: it stands for the
--       entry; else empty, 11 ms that its retired replies are kept
-- Answers {"APPENDED", seq, epoch}, {"DUPLICATE", seq, epoch} or {"REUSED"}.
if redis.call('EXISTS', KEYS[1]) == 1 then
  -- The salon's id follows from the player and his request, so that what is known of it for ever is its content.
  local born = redis.call('HGET', KEYS[1], 'born')
  if born == false then born = '' end
  local epoch, digest = string.match(born, '^(%d+):(.*)$')
  if digest == ARGV[4] then return {'DUPLICATE', '1', epoch} end
  if digest then return {'REUSED'} end
  local packed = redis.call('HGET', KEYS[3], ARGV[2])
  for _, reply in ipairs(packed and cmsgpack.unpack(packed) or {}) do
    if reply[1] == ARGV[3] and reply[2] == ARGV[4] then
      return {'DUPLICATE', tostring(reply[4]), reply[5]}
    end
  end
  return {'REUSED'}
end
local time = redis.call('TIME')
local epoch = string.format('%.0f', tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000))
redis.call('HSET', KEYS[1], 'epoch', epoch, 'seq', '1', 'host', '', 'opened', ARGV[1], 'rules', ARGV[6], 'schema', ARGV[7],
  'born', epoch .. ':' .. ARGV[4], 'chain', ARGV[9], 'base', '0')
local replies = {{ARGV[3], ARGV[4], ARGV[8], 1, epoch}}
if ARGV[10] ~= '' then
  redis.call('RPUSH', KEYS[4], epoch .. '-1:' .. ARGV[10])
  redis.call('SET', KEYS[5], cmsgpack.pack({[ARGV[2]] = replies}), 'PX', ARGV[11])
  redis.call('HSET', KEYS[1], 'base', '1', 'folded', '1')
else
  redis.call('XADD', KEYS[2], epoch .. '-1', 'e', ARGV[5], 'r', ARGV[3], 'p', ARGV[2], 't', ARGV[1], 'h', ARGV[9])
  redis.call('HSET', KEYS[3], ARGV[2], cmsgpack.pack(replies))
end
return {'APPENDED', '1', epoch}
