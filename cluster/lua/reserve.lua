-- Finds a living host with room for one more salon, or names a new one, and counts the salon there.
-- KEYS: 1 leases, 2 room, 3 starting, 4 the salon's reservation
-- ARGV: 1 salon, 2 salons per host, 3 hosts that fit in the cluster, 4 ms until a new host must have its
--       lease, 5 name for a new host, 6 prefix of the hot sets (same hash tag)
-- Answers {"HOST", name}, {"STARTING", name} for one that is still to be created, or {"FULL"}.
-- Whoever asks for the same salon meanwhile gets the same host. Else the fullest host is taken first.
local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
local function lives(host)
  local lease = redis.call('ZSCORE', KEYS[1], host)
  return lease and tonumber(lease) > now
end
local function take(host)
  redis.call('SADD', ARGV[6] .. host, ARGV[1])
  redis.call('ZADD', KEYS[2], redis.call('SCARD', ARGV[6] .. host), host)
  redis.call('SET', KEYS[4], host, 'PX', ARGV[4])
  return {redis.call('SISMEMBER', KEYS[3], host) == 1 and 'STARTING' or 'HOST', host}
end
local reserved = redis.call('GET', KEYS[4])
if reserved and lives(reserved) then return take(reserved) end
for _, host in ipairs(redis.call('ZREVRANGEBYSCORE', KEYS[2], tonumber(ARGV[2]) - 1, '-inf', 'LIMIT', 0, 32)) do
  if lives(host) then return take(host) end
end
if redis.call('ZCARD', KEYS[1]) >= tonumber(ARGV[3]) then return {'FULL'} end
redis.call('ZADD', KEYS[1], now + tonumber(ARGV[4]), ARGV[5])
redis.call('SADD', KEYS[3], ARGV[5])
return take(ARGV[5])
