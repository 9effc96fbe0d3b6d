// MurmurHash3 (x86, 32 bit) over the low byte of each UTF-16 code unit, like the official Node SDK. UTF-8 based SDKs hash
// non-ASCII ids differently (docs/decisions/0003-hash-the-low-byte.md).
//
// This is a hot path. A rollout hashes `group:id`. The group is known at compile time, so its part
// of the hash is computed once, as a prefix. One id is hashed with hundreds of groups, so it is
// split into blocks once per alignment (the number of pending bits of a prefix), not once per group.

/** Seed of rollouts. */
export const ROLLOUT_SEED = 0;
/** Seed of variants. It differs from that of rollouts, so that a rollout does not skew variants. */
export const VARIANT_SEED = 86028157;

/** How to assign ids to the buckets 1 to `size`. The hashed text is `group:id`. */
export interface Bucketing {
  readonly group: string;
  readonly size: number;
  readonly seed: number;
}

export function bucketOf(id: string, { group, size, seed }: Bucketing): number {
  const prefix = createHashPrefix(`${group}:`, seed);
  return toBucket(hashBlocks(prefix, splitIntoBlocks(id, prefix.pendingBits)), size);
}

export function toBucket(hash: number, size: number): number {
  return (hash % size) + 1;
}

export interface HashPrefix {
  readonly state: number;
  /** The bytes of the incomplete last block. */
  readonly pending: number;
  /** How many bits of the incomplete block are used: 0, 8, 16 or 24. */
  readonly pendingBits: number;
  readonly length: number;
}

/** A text split into blocks that are aligned to a prefix with a given number of pending bits. */
export interface HashBlocks {
  /** The bytes that continue the incomplete block of the prefix, each shifted to its position. */
  readonly first: number;
  /** Whether these bytes complete that block. If not, there are no more bytes. */
  readonly completesFirst: boolean;
  readonly whole: readonly number[];
  readonly tail: number;
  readonly length: number;
}

const BLOCK_BYTES = 4;

export function createHashPrefix(prefix: string, seed: number): HashPrefix {
  const end = prefix.length - (prefix.length % BLOCK_BYTES);
  let state = seed | 0;
  for (let start = 0; start < end; start += BLOCK_BYTES) {
    state = mix(state, scramble(bytesOf(prefix, start, end)));
  }
  return {
    state,
    pending: bytesOf(prefix, end, prefix.length),
    pendingBits: (prefix.length - end) * 8,
    length: prefix.length,
  };
}

export function splitIntoBlocks(text: string, pendingBits: number): HashBlocks {
  const { length } = text;
  const firstEnd = Math.min(BLOCK_BYTES - pendingBits / 8, length);
  const whole: number[] = [];
  let start = firstEnd;
  for (; start + BLOCK_BYTES <= length; start += BLOCK_BYTES) {
    whole.push(scramble(bytesOf(text, start, length)));
  }
  return {
    first: bytesOf(text, 0, firstEnd) << pendingBits,
    completesFirst: pendingBits + firstEnd * 8 === 32,
    whole,
    tail: scramble(bytesOf(text, start, length)),
    length,
  };
}

/** Hashes the prefix followed by the text. Returns an unsigned 32-bit integer. */
export function hashBlocks(prefix: HashPrefix, blocks: HashBlocks): number {
  let state = prefix.state;
  const first = scramble(prefix.pending | blocks.first);
  if (blocks.completesFirst) {
    state = mix(state, first);
    const { whole } = blocks;
    for (let i = 0; i < whole.length; i++) state = mix(state, whole[i] ?? 0);
    state ^= blocks.tail;
  } else {
    state ^= first;
  }
  return finish(state ^ ((prefix.length + blocks.length) | 0));
}

/** Packs up to four bytes, beginning at `start`, with the first byte lowest. */
function bytesOf(text: string, start: number, end: number): number {
  let bytes = 0;
  const stop = Math.min(start + BLOCK_BYTES, end);
  for (let i = start; i < stop; i++) bytes |= (text.charCodeAt(i) & 0xff) << ((i - start) * 8);
  return bytes;
}

function scramble(block: number): number {
  const product = Math.imul(block, 0xcc9e2d51);
  return Math.imul((product << 15) | (product >>> 17), 0x1b873593);
}

function mix(state: number, scrambled: number): number {
  const mixed = state ^ scrambled;
  return (Math.imul((mixed << 13) | (mixed >>> 19), 5) + 0xe6546b64) | 0;
}

function finish(state: number): number {
  let hash = state;
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}
