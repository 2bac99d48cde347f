-- Forgets when a salon is to be woken, unless it is another time by now.
-- KEYS: sleepers
-- ARGV: 1 salon, 2 the time
-- Answers 1 where it was forgotten.
local at = redis.call('ZSCORE', KEYS[1], ARGV[1])
if not at or tonumber(at) ~= tonumber(ARGV[2]) then return 0 end
return redis.call('ZREM', KEYS[1], ARGV[1])
