/**
 * The attributes of the user, session or device that a flag is evaluated for.
 *
 * A field is looked up at the top level first, and then under `properties`. Values are compared as
 * text. Only own properties count, so a field named `constructor` is absent unless it was sent.
 */
export interface Context {
  readonly userId?: unknown;
  readonly sessionId?: unknown;
  readonly remoteAddress?: unknown;
  readonly environment?: unknown;
  readonly appName?: unknown;
  /** The time that DATE_* constraints compare with: a `Date`, ISO 8601 text or epoch milliseconds. */
  readonly currentTime?: unknown;
  readonly properties?: Readonly<Record<string, unknown>> | null;
  readonly [field: string]: unknown;
}
