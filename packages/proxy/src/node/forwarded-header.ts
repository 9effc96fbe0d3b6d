import { isIP } from "node:net";
import { parse } from "forwarded-parse";
import type { IncomingHttpHeaders } from "node:http";

const OLDER_HEADERS = ["x-forwarded-for", "x-forwarded-proto", "x-forwarded-host"] as const;

/**
 * Adds the content of a `Forwarded` header (RFC 7239) to the headers of a request as `X-Forwarded-*`, unless it has any of
 * those: a load balancer that sets them passes on a `Forwarded` header that the client has sent.
 */
export function adoptForwarded(headers: IncomingHttpHeaders): void {
  const { forwarded } = headers;
  if (forwarded === undefined || OLDER_HEADERS.some((name) => headers[name] !== undefined)) return;
  Object.assign(headers, parseForwarded(forwarded));
}

/** The address of a hop that does not reveal where the request came from. */
const UNKNOWN = "unknown";

const HOST = /^(?:[\w-]+(?:\.[\w-]+)*\.?|\[[\da-f:.]+\])(?::\d{1,5})?$/i;

/**
 * Converts a `Forwarded` header. NOTE: if it is malformed, no address is known. Ignoring it would mistake the client, which
 * can send an unfinished element to which the load balancer adds its own, for the load balancer.
 */
export function parseForwarded(text: string): IncomingHttpHeaders {
  let hops: readonly Readonly<Record<string, string>>[];
  try {
    hops = parse(text);
  } catch {
    return { "x-forwarded-for": UNKNOWN };
  }
  // The nearest proxy has written the last element.
  const { proto = "", host = "" } = hops.at(-1) ?? {};
  const scheme = proto.toLowerCase();
  return {
    "x-forwarded-for": hops.map((hop) => toAddress(hop["for"])).join(", "),
    ...((scheme === "http" || scheme === "https") && { "x-forwarded-proto": scheme }),
    ...(HOST.test(host) && { "x-forwarded-host": host }),
  };
}

const WITH_PORT = /^(?<ipv4>[\d.]+)(?::(?:\d{1,5}|_[\w.-]+))?$/;
const BRACKETED = /^\[(?<ipv6>[\da-f:.]+)\](?::(?:\d{1,5}|_[\w.-]+))?$/i;

/** The address of a node without its port; `unknown` for obfuscated identifiers such as `_hidden`. */
function toAddress(node = UNKNOWN): string {
  const ipv4 = WITH_PORT.exec(node)?.groups?.["ipv4"] ?? "";
  const ipv6 = BRACKETED.exec(node)?.groups?.["ipv6"] ?? "";
  if (isIP(ipv4) === 4) return ipv4;
  return isIP(ipv6) === 6 ? ipv6 : UNKNOWN;
}
