/**
 * MurmurHash3, x86, 32 bit, over the low byte of each UTF-16 code unit.
 *
 * That byte view is the one of the official Node SDK: identical to every other SDK for ASCII ids,
 * different from UTF-8 based ones for the rest (docs/decisions/0003-hash-the-low-byte.md).
 *
 * This is a hot path. A rollout hashes `group:id`. The group is known at compile time, so its part
 * of the work is done once and kept as a prefix. An id meets hundreds of groups, so it is cut into
 * blocks once for each way in which a prefix can end, and not once for each group.
 */
export interface HashPrefix {
  /** The state after every whole block of the prefix. */
  readonly state: number;
  /** The bytes of the unfinished block. */
  readonly pending: number;
  /** How many bits of that block are in use: 0, 8, 16 or 24. */
  readonly pendingBits: number;
  readonly length: number;
}

/** A text, cut into blocks as they fall after a prefix with so many pending bits. */
export interface HashBlocks {
  /** The bytes for the unfinished block of the prefix, each in its place. */
  readonly first: number;
  /** Whether these complete that block; if not, there are no others. */
  readonly completesFirst: boolean;
  /** The whole blocks that follow, scrambled. */
  readonly whole: readonly number[];
  /** The rest, scrambled. */
  readonly tail: number;
  readonly length: number;
}

const BLOCK_BYTES = 4;

/** Does the part of the work that depends on the prefix alone. */
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

/** Does the part of the work that depends on the text alone, but for where it begins in a block. */
export function cutIntoBlocks(text: string, pendingBits: number): HashBlocks {
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

/** Hashes the prefix followed by the text; an unsigned 32-bit integer. */
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

/** Hashes the prefix followed by `text`; an unsigned 32-bit integer. */
export function hashAfter(prefix: HashPrefix, text: string): number {
  return hashBlocks(prefix, cutIntoBlocks(text, prefix.pendingBits));
}

/** Hashes a whole text; an unsigned 32-bit integer. */
export function hash32(text: string, seed: number): number {
  return hashAfter(createHashPrefix("", seed), text);
}

/** Up to four bytes from `start` on, the first one lowest. */
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
