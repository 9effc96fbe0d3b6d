import { isIP } from "node:net";
import { createListKind, InvalidValue, type ListKind, type SettingKind } from "./setting-kinds.ts";

/** Whose `X-Forwarded-*` headers are trusted: everyone's, nobody's, those of a number of proxies, or of addresses. */
export type TrustProxy = boolean | number | readonly string[];

/** Names of ranges that RFC 1918, RFC 3927, RFC 4193 and similar RFCs reserve, as in `@fastify/proxy-addr`. */
export const NAMED_RANGES: Readonly<Partial<Record<string, readonly string[]>>> = {
  loopback: ["127.0.0.0/8", "::1"],
  linklocal: ["169.254.0.0/16", "fe80::/10"],
  uniquelocal: ["10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "fc00::/7"],
};

const addressRules = {
  of: `IP addresses, CIDR ranges and any of ${Object.keys(NAMED_RANGES).join(", ")}`,
  parseEntry: (text: string) =>
    Object.hasOwn(NAMED_RANGES, text) || isPeerAddressOrRange(text)
      ? text
      : new InvalidValue("is neither an IP address nor a CIDR range"),
};

const peers = createListKind(addressRules);

/** Addresses, CIDR ranges and names of ranges, at least one. */
export const addressesKind: ListKind = createListKind({
  ...addressRules,
  atLeastOne: true,
});

/** `true`, `false`, the number of trusted proxies, or their addresses. */
export const trustProxyKind: SettingKind<TrustProxy, TrustProxy | string> = {
  allowed: `true, false, a number of proxies or ${peers.allowed}`,
  parse: (value) => {
    if (typeof value === "boolean") return value;
    if (typeof value === "number") return toHops(value);
    const word = typeof value === "string" ? value.toLowerCase() : "";
    if (word === "true" || word === "false") return word === "true";
    return /^\d+$/.test(word) ? toHops(Number(word)) : toTrust(peers.parse(value));
  },
};

const MAX_HOPS = 100;

function toHops(count: number): TrustProxy | InvalidValue {
  if (!Number.isInteger(count) || count < 0 || count > MAX_HOPS) {
    return new InvalidValue(`the number of proxies must be from 0 to ${MAX_HOPS}`);
  }
  return count === 0 ? false : count;
}

function toTrust(list: readonly string[] | InvalidValue): TrustProxy | InvalidValue {
  return list instanceof InvalidValue || list.length > 0 ? list : false;
}

function isPeerAddressOrRange(text: string): boolean {
  const [address = "", prefix, ...rest] = text.split("/");
  const version = address.includes("%") ? 0 : isIP(address);
  if (version === 0 || rest.length > 0) return false;
  if (prefix === undefined) return true;
  // NOTE: a prefix of 0 would trust every address of one family only; `true` trusts both families.
  return /^[1-9]\d{0,2}$/.test(prefix) && Number(prefix) <= (version === 4 ? 32 : 128);
}

/** Returns whether to trust a peer. Hop 0 is the peer that connects to this process. */
export type TrustFunction = (address: string, hop: number) => boolean;

/** Converts the setting to a form that Fastify and `@fastify/proxy-addr` accept: not a number. */
export function toTrustOption(trustProxy: TrustProxy): boolean | string[] | TrustFunction {
  if (typeof trustProxy === "number") return (_address, hop) => hop < trustProxy;
  return typeof trustProxy === "boolean" ? trustProxy : [...trustProxy];
}
