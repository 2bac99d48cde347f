-- Keeps a salon from being activated, if the caller's epoch still holds it.
-- KEYS: head
-- ARGV: 1 epoch, 2 why
-- Answers 1 where it is quarantined now.
if redis.call('HGET', KEYS[1], 'epoch') ~= ARGV[1] then return 0 end
redis.call('HSET', KEYS[1], 'quarantine', ARGV[2])
return 1
