import type { IncomingMessage } from "node:http";
import { isIP } from "node:net";
import { isLoopbackHost } from "../config/loopback.ts";
import { canonicalAddress } from "./canonical-address.ts";

interface OwnHosts {
  readonly host?: string | undefined;
  /** Further names under which the server is reached, without ports. @default none */
  readonly allowedHosts?: readonly string[];
  /** The URL at which browsers reach the server. @default not known */
  readonly publicUrl?: string | undefined;
}

export type HostCheck = (request: Pick<IncomingMessage, "headers" | "url">) => boolean;

/**
 * Creates the check of the `Host` of requests. In a DNS rebinding attack, a site lets its own name resolve to the address
 * of this server, so that the browser considers the server a part of the site. An IP address cannot be rebound.
 *
 * NOTE: `X-Forwarded-Host` never counts, whoever sends it: the script of a page can set it, but not `Host`.
 */
export function createHostCheck({ host, allowedHosts = [], publicUrl }: OwnHosts): HostCheck {
  const allowsAddresses = !isLoopbackHost(host);
  const ofBrowsers = publicUrl && new URL(publicUrl).hostname.replaceAll(/[[\]]/g, "");
  const own = [host, ofBrowsers, ...allowedHosts].filter((name) => name !== undefined);
  const names = new Set(own.map((name) => canonicalAddress(name.toLowerCase())));
  return (request) => {
    const name = hostOf(request);
    return (
      name !== undefined &&
      (names.has(name) || isLoopbackHost(name) || (allowsAddresses && isIP(name) !== 0))
    );
  };
}

/** RFC 9112, section 3.2.2: the host of a target in absolute form replaces the header. */
const ABSOLUTE_FORM = /^[a-z][a-z\d+.-]*:\/\/([^/?#]*)/i;

/** A name or an IPv4 address with an optional dot at the end, or an IPv6 address in brackets; and an optional port. */
const AUTHORITY = /^(?:\[([\da-f:.]+)\]|([\w.-]+?)\.?)(?::\d*)?$/i;

function hostOf({ headers, url = "" }: Pick<IncomingMessage, "headers" | "url">) {
  const authority = ABSOLUTE_FORM.exec(url)?.[1] ?? headers.host ?? "";
  const [, address, name] = AUTHORITY.exec(authority) ?? [];
  const host = (address ?? name)?.toLowerCase();
  return host === undefined ? undefined : canonicalAddress(host);
}
