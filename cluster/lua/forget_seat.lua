-- Forgets a salon where a player holds no seat, unless he has asked for one there since.
-- KEYS: seats
-- ARGV: 1 salon, 2 when he asked, as the note says
-- Answers 1 where it was forgotten.
local at = redis.call('ZSCORE', KEYS[1], ARGV[1])
if not at or tonumber(at) ~= tonumber(ARGV[2]) then return 0 end
return redis.call('ZREM', KEYS[1], ARGV[1])
