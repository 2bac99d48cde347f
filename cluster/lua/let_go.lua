-- Leaves a salon to whoever activates it next, if the caller's epoch still holds it.
-- KEYS: head
-- ARGV: 1 epoch
-- Answers 1 where it is nobody's now.
if redis.call('HGET', KEYS[1], 'epoch') ~= ARGV[1] then return 0 end
redis.call('HSET', KEYS[1], 'host', '')
return 1
