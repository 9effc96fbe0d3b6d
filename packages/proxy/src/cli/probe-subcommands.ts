import { createProbe, type Environment, type Subcommand } from "flags-server-kit/command-line";
import { translateEnvironment } from "../config/aliases/translate-environment.ts";
import { SETTINGS } from "../config/settings.ts";
import { removeClientPath, LISTEN_SETTINGS } from "./proxy-address.ts";

const CA_FILE = "ca-certificate-file";

/** The settings that determine the address for probes. */
const settings = {
  ...LISTEN_SETTINGS,
  management: { port: SETTINGS.managementPort, host: SETTINGS.managementHost },
};

/** The subcommands for exec probes. */
export const PROBES: readonly Subcommand[] = [
  createProxyProbe({
    settings,
    name: "health",
    path: "/proxy/health",
    summary: "Checks that the running proxy has flags, for health checks of containers",
    description:
      "Checks that the running proxy has flags to serve. Before its first synchronization with the upstream, it has none. With --edge-url or EDGE_URL, checks only that it responds, as in Unleash Edge.",
    success: "The proxy serves flags.",
    edgePath: "/internal-backstage/health",
  }),
  createProxyProbe({
    settings,
    name: "ready",
    path: "/ready",
    summary: "Checks that the running proxy can serve requests, for readiness probes",
    description:
      "Checks that the running proxy can serve requests: it has flags, and with FLAGS_MAX_STALENESS they are not too old. Without that setting it stays ready if the upstream fails later, because it keeps serving its last flags.",
    success: "The proxy serves requests.",
    edgePath: "/ready",
  }),
];

type ProxyProbe = Parameters<typeof createProbe>[0] & {
  /** The path to request with the address of Edge. */
  readonly edgePath: string;
};

/**
 * Creates a probe that looks for the server where the settings of a replaced product put it, and that
 * has the options and variables that it has in Edge.
 */
function createProxyProbe({ edgePath, ...definition }: ProxyProbe): Subcommand {
  const probe = createProbe({ ...definition, translate: translateEnvironment });
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
    run: ({ options: { "edge-url": edgeUrl, ...options }, environment }) => {
      const url = edgeUrl ?? readVariable(environment, "EDGE_URL");
      const ca = options[CA_FILE] ?? readVariable(environment, "CA_CERTIFICATE_FILE");
      const given = { ...options, ...(ca !== undefined && { [CA_FILE]: ca }) };
      const ownUrl = options["url"];
      if (ownUrl === undefined && url !== undefined) {
        return edgeProbe.run({ options: { ...given, url }, environment });
      }
      return probe.run({
        options: typeof ownUrl === "string" ? { ...given, url: removeClientPath(ownUrl) } : given,
        environment,
      });
    },
  };
}

/** NOTE: an empty variable counts as not set. */
function readVariable(environment: Environment, name: string): string | undefined {
  return environment[name] === "" ? undefined : environment[name];
}
