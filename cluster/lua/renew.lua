-- Renews a host's lease, unless the host was given up.
-- KEYS: leases, starting
-- ARGV: 1 host, 2 lease in ms
-- Answers 1, or 0 where the host must not go on.
if not redis.call('ZSCORE', KEYS[1], ARGV[1]) then return 0 end
local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
redis.call('ZADD', KEYS[1], now + tonumber(ARGV[2]), ARGV[1])
redis.call('SREM', KEYS[2], ARGV[1])
return 1
