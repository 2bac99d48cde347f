-- Begins a session once.
-- KEYS: session
-- ARGV: 1 player, 2 name, 3 lifetime in ms
-- Answers {player, name, expires in ms since the epoch, "" or "revoked"} of the session that there is now.
if redis.call('EXISTS', KEYS[1]) == 0 then
  local time = redis.call('TIME')
  local now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
  local expires = string.format('%.0f', now + tonumber(ARGV[3]))
  redis.call('HSET', KEYS[1], 'player', ARGV[1], 'name', ARGV[2], 'expires', expires, 'revoked', '')
  redis.call('PEXPIRE', KEYS[1], ARGV[3])
end
return redis.call('HMGET', KEYS[1], 'player', 'name', 'expires', 'revoked')
