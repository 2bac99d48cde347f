-- Takes or keeps a role that one process has at a time, until it is silent for its lease.
-- KEYS: role
-- ARGV: 1 who, 2 lease in ms
-- Answers 1 where the role is the caller's now.
local holder = redis.call('GET', KEYS[1])
if holder and holder ~= ARGV[1] then return 0 end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
return 1
