-- Counts a salon on a host, whoever sent it there.
-- KEYS: hot set of the host, room
-- ARGV: 1 salon, 2 host
if redis.call('SADD', KEYS[1], ARGV[1]) == 1 and redis.call('ZSCORE', KEYS[2], ARGV[2]) then
  redis.call('ZADD', KEYS[2], redis.call('SCARD', KEYS[1]), ARGV[2])
end
return 1
