-- Counts a salon no longer on a host.
-- KEYS: hot set of the host, room
-- ARGV: 1 salon, 2 host
redis.call('SREM', KEYS[1], ARGV[1])
if redis.call('ZSCORE', KEYS[2], ARGV[2]) then
  redis.call('ZADD', KEYS[2], redis.call('SCARD', KEYS[1]), ARGV[2])
end
return 1
