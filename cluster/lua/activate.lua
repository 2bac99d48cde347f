-- Gives a salon to a host: a compare-and-set on the epoch that the caller saw.
-- KEYS: head
-- ARGV: 1 the epoch seen, 2 host, 3 the latest schema that the host is said to know, 4 a commit that the caller
--       knows to have been made: where the log ends before it, that is noted as lost
-- Answers {"ACTIVATED", epoch}, {"LOST"}, {"QUARANTINED"}, {"NEWER"} or {"UNKNOWN"}.
-- The new epoch is the greater of the last + 1 and the server's time in ms, so that neither a failover nor a
-- restored backup repeats one.
local head = redis.call('HMGET', KEYS[1], 'epoch', 'quarantine', 'host', 'schema', 'seq', 'lost')
if not head[1] then return {'UNKNOWN'} end
if head[2] then return {'QUARANTINED'} end
if tonumber(head[4] or '1') > tonumber(ARGV[3]) then return {'NEWER'} end
if head[1] ~= ARGV[1] then return {'LOST'} end
local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
local epoch = string.format('%.0f', math.max(tonumber(head[1]) + 1, now))
redis.call('HSET', KEYS[1], 'epoch', epoch, 'host', ARGV[2], 'from', head[3])
local made = tonumber(ARGV[4])
if made > tonumber(head[5]) and made > tonumber(head[6] or '0') then redis.call('HSET', KEYS[1], 'lost', ARGV[4]) end
return {'ACTIVATED', epoch}
