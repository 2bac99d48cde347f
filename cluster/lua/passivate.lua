-- Keeps an idle salon small, and without a host, if the caller still holds it and nobody watches: all or nothing.
-- KEYS: 1 head, 2 log, 3 vault, 4 snap, 5 hands, 6 replies, 7 retired replies, 8 presence
-- ARGV: 1 epoch, 2 seq, 3 snapshot, 4 retired replies, 5 ms that they are kept, 6 ms that hands are kept,
--       7 schema, then for each player with replies that stay: player, replies
-- Answers {"PASSIVATED"}, {"FENCED"}, {"GAP", last seq} or {"WATCHED"}.
local head = redis.call('HMGET', KEYS[1], 'epoch', 'seq')
if head[1] ~= ARGV[1] then return {'FENCED'} end
if head[2] ~= ARGV[2] then return {'GAP', head[2]} end
if redis.call('EXISTS', KEYS[8]) == 1 then return {'WATCHED'} end
redis.call('DEL', KEYS[2], KEYS[3], KEYS[4], KEYS[6])
redis.call('RPUSH', KEYS[4], ARGV[1] .. '-' .. ARGV[2] .. ':' .. ARGV[3])
if ARGV[4] ~= '' then redis.call('SET', KEYS[7], ARGV[4], 'PX', ARGV[5]) end
for at = 8, #ARGV, 2 do redis.call('HSET', KEYS[6], ARGV[at], ARGV[at + 1]) end
redis.call('PEXPIRE', KEYS[5], ARGV[6])
redis.call('HSET', KEYS[1], 'host', '', 'forgot', ARGV[2], 'schema', ARGV[7])
redis.call('HDEL', KEYS[1], 'from')
return {'PASSIVATED'}
