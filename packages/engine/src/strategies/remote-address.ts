import { isInRange, parseAddress, toMappedIpv4, toRange } from "../constraints/ip-address.ts";
import type { Address } from "../constraints/ip-address.ts";
import { parseListParameter } from "./strategy.ts";
import type { ActivationStrategy } from "./strategy.ts";

/**
 * On for the listed addresses and ranges, of IPv4 and IPv6. An entry also matches an address with the same text,
 * regardless of its format. An IPv4-mapped address such as `::ffff:10.0.0.1` matches as both kinds.
 *
 * NOTE: the official Node SDK never matches IPv6 by address, see docs/decisions/0059-ipv6-in-remote-address.md.
 */
export const remoteAddress: ActivationStrategy = (parameters, { fields, report }) => {
  const entries = parseListParameter(parameters, "IPs", report);
  if (entries.length === 0) return { condition: false, reason: "TARGETING_MATCH" };
  const texts = new Set(entries);
  const ranges = entries
    .map(parseAddress)
    .filter((address) => address !== null)
    .map((address) => toRange(toMappedIpv4(address) ?? address));
  const text = fields.topLevelString("remoteAddress");
  const addresses = fields.derived("addresses", text, (value) => parseForms(value ?? ""));
  return {
    condition: (request) => {
      const value = request.read(text);
      if (value !== null && texts.has(value)) return true;
      if (ranges.length === 0) return false;
      return request
        .read(addresses)
        .some((address) => ranges.some((range) => isInRange(address, range)));
    },
    reason: "TARGETING_MATCH",
  };
};

/** Returns an address in every form in which entries can contain it. Empty if the text is none. */
function parseForms(text: string): readonly Address[] {
  const address = parseAddress(text);
  if (address === null) return [];
  const ipv4 = toMappedIpv4(address);
  return ipv4 === null ? [address] : [address, ipv4];
}
