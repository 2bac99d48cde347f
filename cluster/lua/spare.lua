-- Names a new host that has no salon yet, and is to run on one node. It is given none before its first lease.
-- KEYS: leases, starting, nodes
-- ARGV: 1 name, 2 ms until it must have its lease, 3 node, 4 hosts that fit on the node
-- Answers 1 where it may be created, 0 where the node has no room for it.
local there = 0
for _, node in ipairs(redis.call('HVALS', KEYS[3])) do
  if node == ARGV[3] then there = there + 1 end
end
if there >= tonumber(ARGV[4]) then return 0 end
local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
redis.call('ZADD', KEYS[1], now + tonumber(ARGV[2]), ARGV[1])
redis.call('SADD', KEYS[2], ARGV[1])
redis.call('HSET', KEYS[3], ARGV[1], ARGV[3])
return 1
