import { isInRange, parseAddress, toMappedIpv4, toRange } from "../constraints/ip-address.ts";
import type { Address } from "../constraints/ip-address.ts";
import { inList } from "../evaluate/condition.ts";
import type { Report } from "../parse/diagnostics.ts";
import { describeType } from "../parse/json.ts";
import { splitListParameter } from "./check-parameters.ts";
import type { ActivationStrategy, Parameters } from "./strategy.ts";

/** On for the listed users. A `userId` that is not a string never matches. */
export const userWithId: ActivationStrategy = (parameters, { fields, report }) => {
  const ids = parseListParameter(parameters, "userIds", report);
  if (ids.length === 0) return { condition: false, reason: "TARGETING_MATCH" };
  const list = fields.membership(fields.topLevelString("userId"), ids);
  return { condition: inList(list), reason: "TARGETING_MATCH" };
};

/** On if this host is in the list. The condition is a constant, since the host never changes. */
export const applicationHostname: ActivationStrategy = (parameters, { hostname, report }) => {
  const hosts = parseListParameter(parameters, "hostNames", report);
  return {
    condition: hosts.some((host) => host.toLowerCase() === hostname),
    reason: "TARGETING_MATCH",
  };
};

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

/** Splits a comma-separated list. Returns an empty list, after a report, if the parameter is not a string. */
export function parseListParameter(
  parameters: Parameters,
  name: string,
  report: Report,
): readonly string[] {
  const value = parameters[name];
  if (!value) return [];
  if (typeof value === "string") return splitListParameter(value);
  report(`${name} must be a string, found ${describeType(value)}: the strategy never matches`);
  return [];
}
