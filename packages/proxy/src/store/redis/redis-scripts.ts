import { createHash } from "node:crypto";

/** A script that runs in Redis as one step. */
export interface RedisScript {
  readonly source: string;
  readonly sha1: string;
}

function defineScript(source: string): RedisScript {
  return { source, sha1: createHash("sha1").update(source).digest("hex") };
}

// All scripts have the same keys: 1. the lease: `<owner> <epoch>`, which expires; 2. a hash with the state and
// the published flags. Both have the same hash tag, so that they are on the same server of a cluster.

/**
 * Takes or renews the lease if possible, and returns the state.
 *
 * Arguments: owner, milliseconds of the lease, whether to take it from a failing holder (1) or any holder (2), known
 * epoch, milliseconds since the confirmation (-1: none), whether the upstream fails (0 or 1), lifetime of the state in
 * milliseconds, longest lease in milliseconds, age of the flags when they were confirmed (-1: unknown).
 *
 * Epochs are at least the time, so that they increase even if Redis has lost its data.
 */
export const CONTACT = defineScript(`
local clock = redis.call('TIME')
local now = clock[1] * 1000 + math.floor(clock[2] / 1000)
-- A key that another program has written with another type would make all later commands fail.
for index, found in ipairs({ redis.pcall('GET', KEYS[1]), redis.pcall('HGET', KEYS[2], 'epoch') }) do
  if type(found) == 'table' and string.find(found.err, 'WRONGTYPE') then redis.call('DEL', KEYS[index]) end
end
-- Fails if the server is not the primary any more, or is out of memory, so that all replicas notice it. It must be
-- the first write: Redis checks its memory only before that.
redis.call('HSET', KEYS[2], 'contact', '')
local lease = redis.call('GET', KEYS[1])
local owner, epoch = string.match(lease or '', '^(%S+) (%d+)$')
-- A lease of this program expires soon, and its epoch is about the time: anything else is not one.
if owner then
  local remaining = redis.call('PTTL', KEYS[1])
  if remaining < 0 or remaining > tonumber(ARGV[8]) or tonumber(epoch) > 9e15 then owner = nil end
end
epoch = owner and tonumber(epoch) or 0
local lastEpoch = tonumber(redis.call('HGET', KEYS[2], 'epoch')) or 0
if lastEpoch > 9e15 then lastEpoch = 0 end
local failing = redis.call('HGET', KEYS[2], 'failing') == '1'
local isRenewed = owner == ARGV[1]
local isTaken = not isRenewed and (not owner or ARGV[3] == '2' or (failing and ARGV[3] == '1'))
if isTaken then
  epoch = math.max(math.max(epoch, lastEpoch, tonumber(ARGV[4])) + 1, now)
  failing = false
  redis.call('HSET', KEYS[2], 'epoch', string.format('%.0f', epoch), 'failing', '0')
end
if isRenewed then
  failing = ARGV[6] == '1'
  redis.call('HSET', KEYS[2], 'failing', ARGV[6])
  if tonumber(ARGV[5]) >= 0 then
    redis.call('HSET', KEYS[2], 'confirmed', string.format('%.0f', now - ARGV[5]), 'upstreamAge', ARGV[9])
  end
end
if isRenewed or isTaken then
  redis.call('SET', KEYS[1], ARGV[1] .. string.format(' %.0f', epoch), 'PX', ARGV[2])
  redis.call('PEXPIRE', KEYS[2], ARGV[7])
end
local state = redis.call('HMGET', KEYS[2], 'confirmed', 'version', 'revision', 'upstreamAge')
-- Negative if the time is in the future: then it is not one of this program.
local age = tonumber(state[1]) and now - state[1] or -1
return {
  (isRenewed or isTaken) and 1 or 0,
  string.format('%.0f', epoch),
  failing and 1 or 0,
  string.format('%.0f', age),
  state[2],
  state[3],
  state[4],
}
`);

/**
 * Replaces the published flags if the caller has the lease; returns whether it has.
 *
 * Arguments: the value of the lease, version, revision, document, channel, lifetime of the state in
 * milliseconds, milliseconds since the confirmation, age of the flags when they were confirmed (-1: unknown).
 */
export const PUBLISH = defineScript(`
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
local clock = redis.call('TIME')
local now = clock[1] * 1000 + math.floor(clock[2] / 1000)
redis.call('HSET', KEYS[2], 'version', ARGV[2], 'revision', ARGV[3], 'document', ARGV[4],
  'confirmed', string.format('%.0f', now - ARGV[7]), 'upstreamAge', ARGV[8], 'failing', '0')
redis.call('PEXPIRE', KEYS[2], ARGV[6])
redis.call('PUBLISH', ARGV[5], ARGV[2])
return 1
`);

/** Deletes the published flags if they have this version. Arguments: version. */
export const DISCARD = defineScript(`
if redis.call('HGET', KEYS[2], 'version') ~= ARGV[1] then return 0 end
redis.call('HDEL', KEYS[2], 'version', 'revision', 'document')
return 1
`);

/** Gives the lease up if the caller has it. Arguments: owner, channel. */
export const RELEASE = defineScript(`
local owner = string.match(redis.call('GET', KEYS[1]) or '', '^(%S+) ')
if owner ~= ARGV[1] then return 0 end
redis.call('DEL', KEYS[1])
redis.call('PUBLISH', ARGV[2], 'released')
return 1
`);
