-- Lets one process be a host, of those that may come to be started under its name.
-- KEYS: leases, processes
-- ARGV: 1 host, 2 process
-- Answers 1 where the host is this process, now or before; 0 where it is another, or was given up.
if not redis.call('ZSCORE', KEYS[1], ARGV[1]) then return 0 end
redis.call('HSETNX', KEYS[2], ARGV[1], ARGV[2])
return redis.call('HGET', KEYS[2], ARGV[1]) == ARGV[2] and 1 or 0
