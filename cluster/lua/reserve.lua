-- Finds a living host with room for one more salon, or names a new one, and counts the salon there.
-- KEYS: leases, room
-- ARGV: 1 salon, 2 salons per host, 3 hosts that fit in the cluster, 4 ms until a new host must have its
--       lease, 5 name for a new host, 6 prefix of the hot sets (same hash tag), 7 a host to pass over or ""
-- Answers {"HOST", name}, {"NEW", name} or {"FULL"}. The fullest host is taken first.
local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
local function take(host)
  redis.call('SADD', ARGV[6] .. host, ARGV[1])
  redis.call('ZADD', KEYS[2], redis.call('SCARD', ARGV[6] .. host), host)
end
for _, host in ipairs(redis.call('ZREVRANGEBYSCORE', KEYS[2], tonumber(ARGV[2]) - 1, '-inf', 'LIMIT', 0, 32)) do
  local lease = redis.call('ZSCORE', KEYS[1], host)
  if host ~= ARGV[7] and lease and tonumber(lease) > now then
    take(host)
    return {'HOST', host}
  end
end
if redis.call('ZCARD', KEYS[1]) >= tonumber(ARGV[3]) then return {'FULL'} end
redis.call('ZADD', KEYS[1], now + tonumber(ARGV[4]), ARGV[5])
take(ARGV[5])
return {'NEW', ARGV[5]}
