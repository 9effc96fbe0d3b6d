/** The longest wait an upstream may impose: an absurd header must not silence a client for a day. */
export const MAX_RETRY_AFTER_MS = 300_000;

// RFC 9110 §10.2.3: a number of seconds, or an HTTP-date.
const SECONDS = /^\d+$/;
const HTTP_DATE = /^[A-Z][a-z]{2,8}, .*\d{2}:\d{2}:\d{2} GMT$/;

/** Reads a `Retry-After` header: milliseconds from `nowMs`, capped; undefined when it says nothing. */
export function parseRetryAfterMs(header: string | null, nowMs: number): number | undefined {
  const text = header?.trim() ?? "";
  const waitMs = SECONDS.test(text) ? Number(text) * 1000 : dateMs(text) - nowMs;
  return Number.isNaN(waitMs) ? undefined : Math.min(Math.max(waitMs, 0), MAX_RETRY_AFTER_MS);
}

function dateMs(text: string): number {
  return HTTP_DATE.test(text) ? Date.parse(text) : Number.NaN;
}
