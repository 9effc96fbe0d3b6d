/** Default memory for what clients have not read, in addition to the buffers of the system. */
export const MAX_UNREAD_BYTES: number = 64 * 1024 * 1024;

/** Above this multiple of the limit, responses count even if their clients had no time to read them. */
const URGENT_FACTOR = 4;

interface Unread {
  readonly bytes: number;
  /** Whether it has been unread since an earlier check. */
  readonly isLate: boolean;
}

/** Finds the largest unread responses, so that the others take at most `maxBytes` of memory. */
export function findExcess<Item extends Unread>(
  unread: readonly Item[],
  maxBytes: number,
): { readonly totalBytes: number; readonly largest: readonly Item[] } {
  // Even a client that reads needs time.
  const isUrgent = sumBytes(unread) > URGENT_FACTOR * maxBytes;
  const counted = isUrgent ? unread : unread.filter(({ isLate }) => isLate);
  const totalBytes = sumBytes(counted);
  const largest: Item[] = [];
  let remainingBytes = totalBytes;
  for (const item of counted.toSorted((a, b) => b.bytes - a.bytes)) {
    if (remainingBytes <= maxBytes) break;
    largest.push(item);
    remainingBytes -= item.bytes;
  }
  return { totalBytes, largest };
}

function sumBytes(unread: readonly Unread[]): number {
  let sum = 0;
  for (const { bytes } of unread) sum += bytes;
  return sum;
}
