import { isInRange, parseIpv4, toRange } from "../constraints/ip-address.ts";
import { parseList } from "./parameters.ts";
import type { ActivationStrategy } from "./strategy.ts";

/**
 * On for the listed addresses: an entry matches the same text, whatever it is, and an IPv4 range
 * matches the IPv4 addresses in it.
 */
export const remoteAddress: ActivationStrategy = (parameters, { fields, report }) => {
  const entries = parseList(parameters, "IPs", report) ?? [];
  if (entries.length === 0) return { condition: false, reason: "TARGETING_MATCH" };
  const texts = new Set(entries);
  const ranges = entries
    .map(parseIpv4)
    .filter((address) => address !== null)
    .map(toRange);
  const text = fields.topLevelString("remoteAddress");
  const address = fields.topLevelAddress("remoteAddress");
  return {
    condition: (request) => {
      const own = request.read(text);
      if (own !== null && texts.has(own)) return true;
      const parsed = ranges.length > 0 ? request.read(address) : null;
      return parsed !== null && ranges.some((range) => isInRange(parsed, range));
    },
    reason: "TARGETING_MATCH",
  };
};
