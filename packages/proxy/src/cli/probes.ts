import { createProbe, type Subcommand } from "flags-server-kit/command-line";
import { translateEnvironment } from "../config/aliases/translate-environment.ts";
import { SETTINGS } from "../config/settings.ts";
import { LISTEN_SETTINGS } from "./listen-settings.ts";

const ENDPOINT = {
  settings: {
    ...LISTEN_SETTINGS,
    management: { port: SETTINGS.managementPort, host: SETTINGS.managementHost },
  },
} as const;

/** The subcommands for exec probes. */
export const PROBES: readonly Subcommand[] = [
  createProbe({
    ...ENDPOINT,
    name: "health",
    path: "/proxy/health",
    summary: "Checks that the running proxy has flags, for health checks of containers",
    description:
      "Checks that the running proxy has flags to serve. Before its first synchronization with the upstream, it has none.",
    success: "The proxy serves flags.",
  }),
  createProbe({
    ...ENDPOINT,
    name: "ready",
    path: "/ready",
    summary: "Checks that the running proxy can serve requests, for readiness probes",
    description:
      "Checks that the running proxy can serve requests: it has flags, and with FLAGS_MAX_STALENESS they are not too old. Without that setting it stays ready if the upstream fails later, because it keeps serving its last flags.",
    success: "The proxy serves requests.",
  }),
].map(translateProbe);

/**
 * Makes a probe look for the server where the settings of a replaced product put it, and gives it the
 * option that it has in Edge.
 */
function translateProbe(probe: Subcommand): Subcommand {
  return {
    ...probe,
    options: {
      ...probe.options,
      "edge-url": { value: "URL", meaning: "The same as --url, as in Unleash Edge." },
    },
    run: ({ options: { "edge-url": edgeUrl, ...options }, environment }) => {
      const url = options["url"] ?? edgeUrl ?? environment["EDGE_URL"];
      return probe.run({
        options: { ...options, ...(url !== undefined && url !== "" && { url }) },
        environment: translateEnvironment(SETTINGS, environment).environment,
      });
    },
  };
}
