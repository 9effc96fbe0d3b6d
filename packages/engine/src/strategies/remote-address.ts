import { isInRange, parseIpv4, toRange } from "../constraints/ip-address.ts";
import type { EvaluationRequest } from "../evaluate/evaluation-request.ts";
import { parseListParameter } from "./strategy.ts";
import type { ActivationStrategy, ListRule } from "./strategy.ts";

/**
 * On for the listed addresses. An entry matches an address with the same text, regardless of its format. An
 * IPv4 range also matches the IPv4 addresses in it.
 */
export const remoteAddress: ActivationStrategy = (parameters, { fields, report }) => {
  const entries = parseListParameter(parameters, "IPs", report);
  const describe = (): ListRule => {
    const slot = fields.topLevelString("remoteAddress");
    const actual = (request: EvaluationRequest): string | null => request.read(slot);
    return { kind: "list", field: "remoteAddress", values: entries, actual };
  };
  if (entries.length === 0) return { condition: false, reason: "TARGETING_MATCH", describe };
  const texts = new Set(entries);
  const ranges = entries
    .map(parseIpv4)
    .filter((address) => address !== null)
    .map(toRange);
  const text = fields.topLevelString("remoteAddress");
  const address = fields.derived("ipv4", text, (value) => parseIpv4(value ?? ""));
  return {
    condition: (request) => {
      const value = request.read(text);
      if (value !== null && texts.has(value)) return true;
      const parsed = ranges.length > 0 ? request.read(address) : null;
      return parsed !== null && ranges.some((range) => isInRange(parsed, range));
    },
    reason: "TARGETING_MATCH",
    describe,
  };
};
