-- Notes in a log that is older than its last holder's that commits are missing from it.
-- KEYS: head
-- ARGV: 1 the holder's epoch, 2 its last seq
-- Answers 1 where it is noted.
local head = redis.call('HMGET', KEYS[1], 'epoch', 'lost')
if not head[1] or tonumber(head[1]) > tonumber(ARGV[1]) then return 0 end
if tonumber(head[2] or '0') < tonumber(ARGV[2]) then redis.call('HSET', KEYS[1], 'lost', ARGV[2]) end
return 1
