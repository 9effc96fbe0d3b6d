import { SETTINGS } from "../config/settings.ts";
import { LISTEN_SETTINGS } from "./proxy-address.ts";

/** The subcommands for exec probes. */
export const PROBE_DEFINITIONS = [
  {
    name: "health",
    path: "/proxy/health",
    summary: "Checks that the running proxy has flags, for health checks of containers",
    description:
      "Checks that the running proxy has flags to serve. Before its first synchronization with the upstream, it has none.",
    success: "The proxy serves flags.",
  },
  {
    name: "ready",
    path: "/ready",
    summary: "Checks that the running proxy can serve requests, for readiness probes",
    description:
      "Checks that the running proxy can serve requests: it has flags, and with FLAGS_MAX_STALENESS they are not too old. Without that setting it stays ready if the upstream fails later, because it keeps serving its last flags.",
    success: "The proxy serves requests.",
  },
] as const;

/** The settings that determine the address for probes. */
export const PROBE_SETTINGS = {
  ...LISTEN_SETTINGS,
  managementPort: SETTINGS.managementPort,
  managementHost: SETTINGS.managementHost,
};
