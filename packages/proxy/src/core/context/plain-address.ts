import { canonicalAddress } from "flags-server-kit/neutral";

const IPV4_WITH_PORT = /^(\d+\.\d+\.\d+\.\d+):\d+$/;
const BRACKETED_IPV6 = /^\[([\da-f:.]+)\](?::\d+)?$/i;
const IPV4_OVER_IPV6 = /^[0:]+:ffff:/i;

/** Removes the port that some peers add, and the prefix of an IPv4 address on an IPv6 socket. */
export function toPlainAddress(address: string | undefined): string | undefined {
  // A peer that does not reveal the address may say so.
  if (address === undefined || address === "unknown") return undefined;
  if (!address.includes(":")) return address;
  const found = IPV4_WITH_PORT.exec(address) ?? BRACKETED_IPV6.exec(address);
  const bare = found?.[1] ?? address;
  return IPV4_OVER_IPV6.test(bare) ? canonicalAddress(bare) : bare;
}
