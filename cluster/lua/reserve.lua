-- Finds a living host with room for one more salon, or names a new one, and counts the salon there.
-- KEYS: 1 leases, 2 room, 3 starting, 4 the salon's reservation, 5 nodes, 6 and 7 draining nodes, 8 what hosts know
-- ARGV: 1 salon, 2 salons per host, 3 hosts that fit on the nodes that do not drain, 4 ms until a new host must
--       have its lease, 5 name for a new host, 6 prefix of the hot sets (same hash tag), 7 a host that it shall
--       not be or "", 8 the one node where it shall be, on a host that is there, or "", then, unless every host
--       knows what the salon needs, 9 how many nodes of older hosts follow, which are not among those of 3, then
--       these, and what hosts say that know it
-- Answers {"HOST", name}, {"STARTING", name} for one that is still to be created, or {"FULL"}.
-- Whoever asks for the same salon meanwhile gets the same host. Else the fullest host is taken first. No host on
-- a draining node is taken, nor one that does not know enough. Those on the nodes that are not counted in 3 are
-- not counted among those that fit.
local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
local any = redis.call('HLEN', KEYS[6]) + redis.call('HLEN', KEYS[7]) > 0
local function drains(host)
  local node = any and redis.call('HGET', KEYS[5], host)
  if not node then return false end
  return redis.call('HEXISTS', KEYS[6], node) == 1 or redis.call('HEXISTS', KEYS[7], node) == 1
end
local picky = #ARGV > 8
local older, enough = {}, {}
local nodes = tonumber(ARGV[9] or 0)
for at = 10, 9 + nodes do older[ARGV[at]] = true end
for at = 10 + nodes, #ARGV do enough[ARGV[at]] = true end
local function shut(host)
  if drains(host) then return true end
  local node = nodes > 0 and redis.call('HGET', KEYS[5], host)
  return node and older[node] or false
end
local function knows(host)
  if not picky then return true end
  local said = redis.call('HGET', KEYS[8], host)
  -- Of one that is being created nobody knows yet.
  if not said then return redis.call('SISMEMBER', KEYS[3], host) == 1 end
  return enough[said]
end
local function fits(host)
  if host == ARGV[7] then return false end
  local lease = redis.call('ZSCORE', KEYS[1], host)
  if not lease or tonumber(lease) <= now or drains(host) or not knows(host) then return false end
  return ARGV[8] == '' or redis.call('HGET', KEYS[5], host) == ARGV[8]
end
local function take(host)
  redis.call('SADD', ARGV[6] .. host, ARGV[1])
  redis.call('ZADD', KEYS[2], redis.call('SCARD', ARGV[6] .. host), host)
  redis.call('SET', KEYS[4], host, 'PX', ARGV[4])
  return {redis.call('SISMEMBER', KEYS[3], host) == 1 and 'STARTING' or 'HOST', host}
end
local reserved = redis.call('GET', KEYS[4])
if reserved and fits(reserved) then return take(reserved) end
local top = tonumber(ARGV[2]) - 1
local start = 0
repeat
  local some = redis.call('ZREVRANGEBYSCORE', KEYS[2], top, '-inf', 'LIMIT', start, 32)
  for _, host in ipairs(some) do
    if fits(host) then return take(host) end
  end
  start = start + 32
until #some < 32
if ARGV[8] ~= '' then return {'FULL'} end
local hosts = redis.call('ZCARD', KEYS[1])
if any or picky then
  for _, host in ipairs(redis.call('ZRANGE', KEYS[1], 0, -1)) do
    if shut(host) then hosts = hosts - 1 end
  end
end
if hosts >= tonumber(ARGV[3]) then return {'FULL'} end
redis.call('ZADD', KEYS[1], now + tonumber(ARGV[4]), ARGV[5])
redis.call('SADD', KEYS[3], ARGV[5])
return take(ARGV[5])
