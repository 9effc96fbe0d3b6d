/** When flags were last confirmed to be up to date. */
export interface Confirmation {
  /** The earliest possible time, as `performance.now()`; `-Infinity` if it is unknown. */
  readonly atMs: number;
  /**
   * Whether the upstream follows another one and says how old its flags are. Such upstreams may have different
   * flags behind one address, of which the older ones must not replace newer ones.
   */
  readonly isRelayed: boolean;
  /** Whether it follows a confirmation on the same stream. Then its flags are the newer ones, whatever the times are. @default false */
  readonly isNext?: boolean;
}

/** The confirmation of an upstream that has just said that these are its flags. */
export function confirmedNow(): Confirmation {
  return { atMs: performance.now(), isRelayed: false };
}

/** The header, and the comment in streams, with the age of flags. NOTE: not `Age`, which caches interpret. */
export const AGE_HEADER = "X-Flags-Age-Seconds";

const UNKNOWN = "unknown";
const SECONDS = /^\d{1,12}(?:\.\d{1,6})?$/;
const COMMENT = new RegExp(`^${AGE_HEADER}: (.*)$`, "i");

/**
 * Writes the age of definitions, in seconds. Rounded up, so that flags never seem newer than they are; to
 * milliseconds, because with whole seconds it would not be known which of two documents is the newer one.
 */
export function writeAge(ageMs: number | undefined): string {
  return ageMs === undefined ? UNKNOWN : String(Math.ceil(ageMs) / 1000);
}

/** Returns milliseconds, `Infinity` for an unknown age; undefined if the upstream sends no age. */
function parseAgeMs(text: string | null): number | undefined {
  if (text === null) return undefined;
  return SECONDS.test(text) ? Number(text) * 1000 : Infinity;
}

/** Writes the comment with which a stream repeats the age. */
export function writeAgeComment(ageMs: number | undefined): string {
  return `${AGE_HEADER}: ${writeAge(ageMs)}`;
}

/** Returns the age in a comment in milliseconds; undefined if it contains none. */
export function parseAgeComment(comment: string): number | undefined {
  return parseAgeMs(COMMENT.exec(comment.trim())?.[1] ?? null);
}

/** Returns when the flags in a response were confirmed. */
export function confirmationOf(
  { headers }: { readonly headers: { get(name: string): string | null } },
  sentAtMs: number,
): Confirmation {
  const ageMs = parseAgeMs(headers.get(AGE_HEADER));
  return { atMs: sentAtMs - (ageMs ?? 0), isRelayed: ageMs !== undefined };
}
