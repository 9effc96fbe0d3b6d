/**
 * MurmurHash3, x86, 32 bit, over the low byte of each UTF-16 code unit.
 *
 * That byte view is the one of the official Node SDK: identical to every other SDK for ASCII ids,
 * different from UTF-8 based ones for the rest (docs/decisions/0003-hash-the-low-byte.md).
 *
 * This is a hot path. A rollout hashes `group:id` with a group that is known at compile time, so
 * the group's part of the work is done once and kept as a prefix.
 */
export interface HashPrefix {
  /** The state after every whole block of the prefix. */
  readonly state: number;
  /** The bytes of the unfinished block, and how many bits of it are in use: 0, 8, 16 or 24. */
  readonly pending: number;
  readonly pendingBits: number;
  readonly length: number;
}

/** Does the part of the work that depends on the prefix alone. */
export function createHashPrefix(prefix: string, seed: number): HashPrefix {
  let state = seed | 0;
  let pending = 0;
  let pendingBits = 0;
  for (let i = 0; i < prefix.length; i++) {
    pending |= (prefix.charCodeAt(i) & 0xff) << pendingBits;
    pendingBits += 8;
    if (pendingBits === 32) {
      state = mixBlock(state, pending);
      pending = 0;
      pendingBits = 0;
    }
  }
  return { state, pending, pendingBits, length: prefix.length };
}

/** Hashes the prefix followed by `text`; an unsigned 32-bit integer. */
export function hashAfter(prefix: HashPrefix, text: string): number {
  let state = prefix.state;
  let pending = prefix.pending;
  let pendingBits = prefix.pendingBits;
  for (let i = 0; i < text.length; i++) {
    pending |= (text.charCodeAt(i) & 0xff) << pendingBits;
    pendingBits += 8;
    if (pendingBits === 32) {
      state = mixBlock(state, pending);
      pending = 0;
      pendingBits = 0;
    }
  }
  if (pendingBits > 0) state ^= scramble(pending);
  return finish(state ^ (prefix.length + text.length));
}

/** Hashes a whole text; an unsigned 32-bit integer. */
export function hash32(text: string, seed: number): number {
  return hashAfter(createHashPrefix("", seed), text);
}

function mixBlock(state: number, block: number): number {
  const mixed = state ^ scramble(block);
  return (Math.imul((mixed << 13) | (mixed >>> 19), 5) + 0xe6546b64) | 0;
}

function scramble(block: number): number {
  const product = Math.imul(block, 0xcc9e2d51);
  return Math.imul((product << 15) | (product >>> 17), 0x1b873593);
}

function finish(state: number): number {
  let hash = state;
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}
