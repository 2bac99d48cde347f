-- Forgets when a salon is to be woken, or puts that off, unless it is another time by now.
-- KEYS: sleepers
-- ARGV: 1 salon, 2 the time, 3 a later time or ""
-- Answers 1 where it was done.
local at = redis.call('ZSCORE', KEYS[1], ARGV[1])
if not at or tonumber(at) ~= tonumber(ARGV[2]) then return 0 end
if ARGV[3] ~= '' then
  redis.call('ZADD', KEYS[1], ARGV[3], ARGV[1])
else
  redis.call('ZREM', KEYS[1], ARGV[1])
end
return 1
