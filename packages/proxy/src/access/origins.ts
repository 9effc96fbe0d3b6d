import type { FastifyReply } from "fastify";

/** Whether an origin is allowed. */
export type AllowsOrigin = (origin: string) => boolean;

const ALLOW_ORIGIN = "access-control-allow-origin";

const WILDCARD = "://*.";

/**
 * Creates a check for a list of origins such as `https://app.example.com` and
 * `https://*.example.com`, which allows all names below `example.com` but not `example.com` itself.
 * Scheme and port must be equal.
 */
export function createOriginCheck(origins: readonly string[]): AllowsOrigin {
  const exact = new Set(
    origins.filter((origin) => !origin.includes(WILDCARD)).map((origin) => normalize(origin)),
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

/** Returns an origin as browsers send it. */
function normalize(origin: string): string {
  return new URL(origin).origin;
}

/**
 * Lets only the origin of the request read the response, if all could otherwise: the key can be used
 * only from certain origins, and this is one of them.
 */
export function allowOnlyOrigin(reply: FastifyReply, requestOrigin: string | undefined): void {
  if (reply.getHeader(ALLOW_ORIGIN) !== "*") return;
  if (requestOrigin === undefined) reply.removeHeader(ALLOW_ORIGIN);
  else reply.header(ALLOW_ORIGIN, requestOrigin);
}
