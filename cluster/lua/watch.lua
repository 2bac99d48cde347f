-- Says that a gateway watches a salon, for a while.
-- KEYS: presence
-- ARGV: 1 gateway, 2 until when, 3 for how many ms
-- Answers 1 where that was not known, else 0.
local new = redis.call('HSET', KEYS[1], ARGV[1], ARGV[2])
redis.call('PEXPIRE', KEYS[1], ARGV[3])
return new
