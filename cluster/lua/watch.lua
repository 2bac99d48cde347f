-- Says that a gateway watches a salon, for a while.
-- KEYS: presence
-- ARGV: 1 gateway, 2 until when, 3 for how many ms from now
-- Answers 1 where that was not known, or no longer, else 0.
local before = redis.call('HGET', KEYS[1], ARGV[1])
redis.call('HSET', KEYS[1], ARGV[1], ARGV[2])
redis.call('PEXPIRE', KEYS[1], ARGV[3])
if before and tonumber(before) > ARGV[2] - ARGV[3] then return 0 end
return 1
