-- Renews a host's lease, unless the host was given up; from the first time on it may be given salons.
-- KEYS: leases, starting, room, nodes, hot set of the host, what hosts know, what was known on nodes
-- ARGV: 1 host, 2 lease in ms, 3 the node that it runs on, 4 the versions that it knows; both "" where they are known
-- Answers 0 where the host must not go on, else 1 more than the salons that are counted on it.
if not redis.call('ZSCORE', KEYS[1], ARGV[1]) then return 0 end
local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
redis.call('ZADD', KEYS[1], now + tonumber(ARGV[2]), ARGV[1])
local salons = redis.call('SCARD', KEYS[5])
if redis.call('SREM', KEYS[2], ARGV[1]) == 1 then redis.call('ZADD', KEYS[3], salons, ARGV[1]) end
if ARGV[3] ~= '' then redis.call('HSET', KEYS[4], ARGV[1], ARGV[3]) end
if ARGV[4] ~= '' then redis.call('HSET', KEYS[6], ARGV[1], ARGV[4]) end
if ARGV[3] ~= '' and ARGV[4] ~= '' then redis.call('HSET', KEYS[7], ARGV[3], ARGV[4]) end
return 1 + salons
