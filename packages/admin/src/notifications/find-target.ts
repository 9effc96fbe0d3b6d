import { lookup, type LookupAddress } from "node:dns";
import { isIP } from "node:net";
import { promisify } from "node:util";
import { type AllowList, findRefusal } from "./allow-list.ts";

/** Finds the addresses of a host name. Rejects if there are none. */
export type Resolve = (host: string) => Promise<readonly LookupAddress[]>;

/** Nothing may be sent to a URL. The message says why, without the path and the query, which may be secret. */
export class RefusedTargetError extends Error {
  override readonly name = "RefusedTargetError";
}

/** Checked addresses of the host of a URL: connect to one of them, and look up nothing again. */
export interface Target {
  readonly url: URL;
  readonly addresses: readonly LookupAddress[];
}

/**
 * Finds the addresses to which a request may be sent. All addresses of a host are checked, so that nobody can choose among
 * them.
 *
 * @throws {RefusedTargetError} if the URL is not one of http or https, contains credentials, or if any address of its
 *   host is neither public nor allowed
 */
export async function findTarget(
  text: string,
  allowed: AllowList,
  resolve: Resolve = resolveOnce,
): Promise<Target> {
  const url = parseTargetUrl(text);
  const host = url.hostname.replaceAll(/^\[|\]$/g, "");
  const family = isIP(host);
  const addresses = family === 0 ? await resolve(host) : [{ address: host, family }];
  for (const { address } of addresses) {
    const refusal = findRefusal(address, host, allowed);
    if (refusal === "metadata") {
      throw new RefusedTargetError(
        `${host} is or leads to an address at which machines get credentials or settings, which is never allowed`,
      );
    }
    if (refusal === "private") {
      throw new RefusedTargetError(
        `${host} is or leads to an address that is not public: if it may receive notifications, add it to WEBHOOK_ALLOW_LIST`,
      );
    }
  }
  return { url, addresses };
}

/** @throws {RefusedTargetError} if the text is not a URL of http or https, or contains credentials */
export function parseTargetUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol)) {
    throw new RefusedTargetError("must be an address that begins with http:// or https://");
  }
  if (url.username !== "" || url.password !== "") {
    throw new RefusedTargetError(
      "must not contain a user name or a password: send them in a header",
    );
  }
  return url;
}

const lookupAll = promisify(lookup);
const lookups = new Map<string, Promise<readonly LookupAddress[]>>();

/**
 * NOTE: a look-up occupies one of the few threads of the process until the name server responds, so there is one at a time
 * of each host.
 */
function resolveOnce(host: string): Promise<readonly LookupAddress[]> {
  const running = lookups.get(host);
  if (running !== undefined) return running;
  const started = lookupAll(host, { all: true }).finally(() => lookups.delete(host));
  lookups.set(host, started);
  return started;
}
