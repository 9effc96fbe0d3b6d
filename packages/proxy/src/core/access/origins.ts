export type AllowsOrigin = (origin: string) => boolean;

const WILDCARD = "://*.";

/**
 * Creates a check for a list of origins such as `https://app.example.com` and
 * `https://*.example.com`, which allows all names below `example.com` but not `example.com` itself.
 * Scheme and port must be equal.
 */
export function createOriginCheck(origins: readonly string[]): AllowsOrigin {
  const exact = new Set(
    origins.filter((origin) => !origin.includes(WILDCARD)).map((origin) => new URL(origin).origin),
  );
  const patterns = origins
    .filter((origin) => origin.includes(WILDCARD))
    .map((pattern) => {
      const [scheme = "", rest = ""] = pattern.toLowerCase().split(WILDCARD, 2);
      const { protocol, host } = new URL(`${scheme}://${rest}`);
      return { start: `${protocol}//`, end: `.${host}` };
    });
  return (origin) => {
    // NOTE: browsers send origins in lower case and without a default port.
    if (exact.has(origin)) return true;
    return patterns.some(
      ({ start, end }) =>
        origin.startsWith(start) &&
        origin.endsWith(end) &&
        NAME.test(origin.slice(start.length, -end.length)),
    );
  };
}

/** One or more labels of a host name. */
const NAME = /^[a-z0-9_-]+(?:\.[a-z0-9_-]+)*$/;
