import { parseList } from "./parameters.ts";
import type { ActivationStrategy } from "./strategy.ts";

/** On on the listed hosts: a constant, since a process does not change its host. */
export const applicationHostname: ActivationStrategy = (parameters, { hostname, report }) => {
  const hosts = parseList(parameters, "hostNames", report) ?? [];
  return {
    condition: hosts.some((host) => host.toLowerCase() === hostname),
    reason: "TARGETING_MATCH",
  };
};
