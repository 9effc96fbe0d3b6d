import { parseListParameter } from "./strategy.ts";
import type { ActivationStrategy } from "./strategy.ts";

/** On if this host is in the list. The condition is a constant, since the host never changes. */
export const applicationHostname: ActivationStrategy = (parameters, { hostname, report }) => {
  const hosts = parseListParameter(parameters, "hostNames", report);
  return {
    condition: hosts.some((host) => host.toLowerCase() === hostname),
    reason: "TARGETING_MATCH",
  };
};
