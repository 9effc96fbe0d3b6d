import { createProbe, type Subcommand } from "flags-server-kit/command-line";
import { LISTEN_SETTINGS, removeClientPath } from "../cli/proxy-address.ts";
import { SETTINGS } from "../config/settings.ts";
import type { Translation } from "./translate-environment.ts";

const PROBE_DEFINITIONS = [
  {
    name: "health",
    path: "/proxy/health",
    summary: "Checks that the running proxy has flags, for health checks of containers",
    description:
      "Checks that the running proxy has flags to serve. Before its first synchronization with the upstream, it has none. With --edge-url or EDGE_URL, checks only that it responds, as in Unleash Edge.",
    success: "The proxy serves flags.",
    edgePath: "/internal-backstage/health",
  },
  {
    name: "ready",
    path: "/ready",
    summary: "Checks that the running proxy can serve requests, for readiness probes",
    description:
      "Checks that the running proxy can serve requests: it has flags, and with FLAGS_MAX_STALENESS they are not too old. Without that setting it stays ready if the upstream fails later, because it keeps serving its last flags.",
    success: "The proxy serves requests.",
    edgePath: "/ready",
  },
] as const;

const PROBE_SETTINGS = {
  ...LISTEN_SETTINGS,
  managementPort: SETTINGS.managementPort,
  managementHost: SETTINGS.managementHost,
};

const CA_FILE = "ca-certificate-file";

/**
 * The probes, which look for the server where the settings of a replaced product put it, and have the options
 * and variables that they have in Edge.
 */
export const PROBES: readonly Subcommand<Translation>[] = PROBE_DEFINITIONS.map(
  ({ edgePath, ...each }) => {
    const definition = {
      ...each,
      settings: PROBE_SETTINGS,
      sourcesOf: (translation: Translation) => translation,
    };
    const probe = createProbe(definition);
    const edgeProbe = createProbe({
      ...definition,
      path: edgePath,
      urlName: "--edge-url or EDGE_URL",
    });
    return {
      ...probe,
      options: {
        ...probe.options,
        url: {
          value: "URL",
          description:
            "URL of the proxy, with or without /proxy at the end, if the settings do not determine it.",
        },
        "edge-url": {
          short: "e",
          value: "URL",
          description: `Base URL of the server, as in Unleash Edge. Requests ${edgePath} there.`,
        },
      },
      run: ({ options: { "edge-url": edgeUrl, ...options }, ...call }) => {
        // NOTE: an empty variable counts as not set.
        const { EDGE_URL, CA_CERTIFICATE_FILE } = call.environment.given;
        const url = edgeUrl ?? (EDGE_URL || undefined);
        const ca = options[CA_FILE] ?? (CA_CERTIFICATE_FILE || undefined);
        const given = { ...options, ...(ca !== undefined && { [CA_FILE]: ca }) };
        const ownUrl = options["url"];
        if (ownUrl === undefined && url !== undefined) {
          return edgeProbe.run({ ...call, options: { ...given, url } });
        }
        return probe.run({
          ...call,
          options: typeof ownUrl === "string" ? { ...given, url: removeClientPath(ownUrl) } : given,
        });
      },
    };
  },
);
