import type { Socket } from "node:net";

/** Above this multiple of the limit, responses count even if their peers had no time to read them. */
const URGENT_FACTOR = 4;

/** A response, or several of one connection, that the peer has not read. */
export interface UnreadResponse {
  readonly socket: Socket;
  readonly bytes: number;
  /** Whether it has been unread since an earlier check. */
  readonly isLate: boolean;
}

/** The connections to close. */
interface Excess {
  /** The size of all responses that count, including those that stay. */
  readonly totalBytes: number;
  readonly sockets: readonly Socket[];
}

/**
 * Finds the connections with the largest unread responses, so that the others take at most `maxBytes` of memory. A few
 * bytes of request can cause a large response, so a client could exhaust the memory with connections from which it
 * never reads.
 */
export function findExcess(unread: readonly UnreadResponse[], maxBytes: number): Excess {
  // A peer that reads needs some time as well, unless there are far too many.
  const isUrgent = sumBytes(unread) > URGENT_FACTOR * maxBytes;
  const counted = isUrgent ? unread : unread.filter(({ isLate }) => isLate);
  const totalBytes = sumBytes(counted);
  const sockets: Socket[] = [];
  let remainingBytes = totalBytes;
  for (const { socket, bytes } of counted.toSorted((a, b) => b.bytes - a.bytes)) {
    if (remainingBytes <= maxBytes) break;
    sockets.push(socket);
    remainingBytes -= bytes;
  }
  return { totalBytes, sockets };
}

function sumBytes(responses: readonly UnreadResponse[]): number {
  let sum = 0;
  for (const { bytes } of responses) sum += bytes;
  return sum;
}
