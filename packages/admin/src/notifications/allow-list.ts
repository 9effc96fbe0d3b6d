import ipaddr from "ipaddr.js";
import { createListKind, InvalidValue, type ListKind } from "flags-server-kit/command-line";

type Address = ReturnType<typeof ipaddr.process>;
type Range = readonly [Address, number];

/** Which hosts may receive notifications although they have no public address. */
export interface AllowList {
  readonly hosts: ReadonlySet<string>;
  readonly ranges: readonly Range[];
}

const HOST = /^(?!\d+(?:\.\d+)*$)[a-z0-9_](?:[\w-]*\w)?(?:\.[a-z0-9_](?:[\w-]*\w)?)*$/i;

/** Host names, IP addresses and CIDR ranges. */
export const allowListKind: ListKind = createListKind({
  of: "host names, IP addresses and CIDR ranges, without ports",
  parseEntry: (text) =>
    parseRange(text) === undefined && !HOST.test(text)
      ? new InvalidValue(
          "is neither a host name, an IP address nor a CIDR range: omit the scheme and the port",
        )
      : text,
});

/** @param entries valid values of the setting */
export function parseAllowList(entries: readonly string[]): AllowList {
  return {
    hosts: new Set(entries.map((entry) => entry.toLowerCase())),
    ranges: entries.flatMap((entry) => [parseRange(entry)].filter((range) => range !== undefined)),
  };
}

function parseRange(text: string): Range | undefined {
  const [start = ""] = text.split("/");
  // NOTE: shorter forms would be read as other addresses than meant: 10/8 as 0.0.0.10/8.
  if (!ipaddr.IPv4.isValidFourPartDecimal(start) && !ipaddr.IPv6.isValid(start)) return undefined;
  if (ipaddr.isValidCIDR(text)) return toIpv4Range(...ipaddr.parseCIDR(text));
  if (start !== text) return undefined;
  const address = ipaddr.process(text);
  return [address, address.kind() === "ipv4" ? 32 : 128];
}

/** Converts a range of IPv4-mapped addresses such as ::ffff:10.0.0.0/104. Returns any other unchanged. */
function toIpv4Range(address: Address, bits: number): Range {
  return address instanceof ipaddr.IPv6 && address.isIPv4MappedAddress() && bits >= 96
    ? [address.toIPv4Address(), bits - 96]
    : [address, bits];
}

/** With these addresses, clouds give credentials to whoever can send requests from a machine. */
const METADATA: readonly Range[] = [
  "169.254.0.0/16",
  "100.100.100.200/32",
  "168.63.129.16/32",
  "192.0.0.192/32",
  "fe80::/10",
  "fd00:ec2::/32",
  "fd20:ce::/32",
].map((range) => ipaddr.parseCIDR(range));

/** Addresses outside are not assigned to anyone, apart from those that contain an IPv4 address. */
const PUBLIC_IPV6: Range = ipaddr.parseCIDR("2000::/3");

/** Why nothing is sent to an address; undefined if it may receive notifications. */
export function findRefusal(
  text: string,
  host: string,
  { hosts, ranges }: AllowList,
): "metadata" | "private" | undefined {
  // An address such as ::ffff:127.0.0.1 becomes 127.0.0.1.
  const address = ipaddr.process(text);
  if (METADATA.some((range) => isIn(address, range))) return "metadata";
  const isAllowed = hosts.has(host.toLowerCase()) || ranges.some((range) => isIn(address, range));
  return isAllowed || isPublic(address) ? undefined : "private";
}

function isPublic(address: Address): boolean {
  if (address.range() !== "unicast") return false;
  return address.kind() === "ipv4" || isIn(address, PUBLIC_IPV6);
}

function isIn(address: Address, [network, bits]: Range): boolean {
  return address.kind() === network.kind() && address.match(network, bits);
}
