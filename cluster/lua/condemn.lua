-- Gives a host up: it gets no salon and no lease any more.
-- KEYS: leases, room, condemned, starting, hot set of the host
-- ARGV: 1 host, 2 "lapsed": only if its lease has lapsed; "empty": only if it has no salon; or ""
-- Answers 1 where the host is condemned (now or before), 0 where it lives.
local lease = redis.call('ZSCORE', KEYS[1], ARGV[1])
if not lease then return redis.call('SISMEMBER', KEYS[3], ARGV[1]) end
local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
if ARGV[2] == 'lapsed' and tonumber(lease) > now then return 0 end
if ARGV[2] == 'empty' and redis.call('SCARD', KEYS[5]) > 0 then return 0 end
redis.call('ZREM', KEYS[1], ARGV[1])
redis.call('ZREM', KEYS[2], ARGV[1])
redis.call('SREM', KEYS[4], ARGV[1])
redis.call('SADD', KEYS[3], ARGV[1])
return 1
