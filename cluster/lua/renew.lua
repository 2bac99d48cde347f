-- Renews a host's lease, unless the host was given up; from the first time on it may be given salons.
-- KEYS: leases, starting, room, nodes, hot set of the host
-- ARGV: 1 host, 2 lease in ms, 3 the node that it runs on, "" where that is known already
-- Answers 0 where the host must not go on, else 1 more than the salons that are counted on it.
if not redis.call('ZSCORE', KEYS[1], ARGV[1]) then return 0 end
local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
redis.call('ZADD', KEYS[1], now + tonumber(ARGV[2]), ARGV[1])
local salons = redis.call('SCARD', KEYS[5])
if redis.call('SREM', KEYS[2], ARGV[1]) == 1 then redis.call('ZADD', KEYS[3], salons, ARGV[1]) end
if ARGV[3] ~= '' then redis.call('HSET', KEYS[4], ARGV[1], ARGV[3]) end
return 1 + salons
