import { createHash } from "node:crypto";

export interface RedisScript {
  readonly source: string;
  readonly sha1: string;
}

function defineScript(source: string): RedisScript {
  return { source, sha1: createHash("sha1").update(source).digest("hex") };
}

// All scripts have the same keys: 1. the lease: its owner, which expires; 2. a hash with the state and the published flags.
// Both have the same hash tag, so that they are on the same server of a cluster.

/**
 * Takes or renews the lease if possible, and returns the state.
 *
 * Arguments: owner, milliseconds of the lease, whether to take it from a failing holder (0 or 1), whether the upstream
 * fails (0 or 1), revision of the confirmed flags, milliseconds since the confirmation (-1: none), age of the flags when
 * they were confirmed (-1: unknown), lifetime of the state in milliseconds, longest lease in milliseconds.
 */
export const CONTACT = defineScript(`
local clock = redis.call('TIME')
local now = clock[1] * 1000 + math.floor(clock[2] / 1000)
-- Fails if the server is not the primary any more, or is out of memory, so that all replicas notice it. It must be
-- the first write: Redis checks its memory only before that.
redis.call('HSET', KEYS[2], 'contact', '')
local owner = redis.call('GET', KEYS[1])
-- A longer lease is not one of this program.
local remaining = redis.call('PTTL', KEYS[1])
if remaining < 0 or remaining > tonumber(ARGV[9]) then owner = nil end
local failing = redis.call('HGET', KEYS[2], 'failing') == '1'
local lease = 'other'
if owner == ARGV[1] then
  lease = 'renewed'
  failing = ARGV[4] == '1'
  if tonumber(ARGV[6]) >= 0 and redis.call('HGET', KEYS[2], 'revision') == ARGV[5] then
    redis.call('HSET', KEYS[2], 'confirmed', string.format('%.0f', now - ARGV[6]), 'upstreamAge', ARGV[7])
  end
elseif not owner or (failing and ARGV[3] == '1') then
  lease = 'taken'
  failing = false
end
if lease ~= 'other' then
  redis.call('HSET', KEYS[2], 'failing', failing and '1' or '0')
  redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
  redis.call('PEXPIRE', KEYS[2], ARGV[8])
end
local state = redis.call('HMGET', KEYS[2], 'confirmed', 'version', 'revision', 'upstreamAge')
-- Negative if the time is in the future: then it is not one of this program.
local age = tonumber(state[1]) and now - state[1] or -1
return {
  lease,
  failing and 1 or 0,
  string.format('%.0f', age),
  state[2],
  state[3],
  state[4],
  string.format('%.0f', now),
}
`);

/**
 * Replaces the published flags if the caller has the lease.
 *
 * Arguments: owner, version, revision, document, channel, lifetime of the state in milliseconds, milliseconds since the
 * confirmation, age of the flags when they were confirmed (-1: unknown).
 */
export const PUBLISH = defineScript(`
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return end
local clock = redis.call('TIME')
local now = clock[1] * 1000 + math.floor(clock[2] / 1000)
redis.call('HSET', KEYS[2], 'version', ARGV[2], 'revision', ARGV[3], 'document', ARGV[4],
  'confirmed', string.format('%.0f', now - ARGV[7]), 'upstreamAge', ARGV[8], 'failing', '0')
redis.call('PEXPIRE', KEYS[2], ARGV[6])
redis.call('PUBLISH', ARGV[5], ARGV[2])
`);

/** Gives the lease up if the caller has it. Arguments: owner, channel. */
export const RELEASE = defineScript(`
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return end
redis.call('DEL', KEYS[1])
redis.call('PUBLISH', ARGV[2], 'released')
`);
