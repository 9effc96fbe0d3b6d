import { createProbe, type Subcommand } from "flags-server-kit/command-line";
import { SETTINGS } from "../config/settings.ts";
import { translateProbe } from "./translated-probe.ts";

const { port, host, proxyBasePath } = SETTINGS;
const ENDPOINT = {
  path: "/proxy/health",
  settings: {
    port,
    host,
    basePath: proxyBasePath,
    tls: {
      certFile: SETTINGS.tlsCertFile,
      clientCaFile: SETTINGS.tlsClientCaFile,
      port: SETTINGS.tlsPort,
      redirect: SETTINGS.tlsRedirect,
    },
    management: { port: SETTINGS.managementPort, host: SETTINGS.managementHost },
  },
} as const;

/** The subcommands for exec probes. */
export const PROBES: readonly Subcommand[] = [
  createProbe({
    ...ENDPOINT,
    name: "health",
    summary: "Checks that the running proxy has flags, for health checks of containers",
    description:
      "Checks that the running proxy has flags to serve. Before its first synchronization with the upstream, it has none.",
    success: "The proxy serves flags.",
  }),
  createProbe({
    ...ENDPOINT,
    name: "ready",
    summary: "Checks that the running proxy can serve requests, for readiness probes",
    description:
      "Checks that the running proxy can serve requests: it has flags, from the upstream, a bootstrap or a storage provider. It stays ready if the upstream fails later, because it keeps serving its last flags.",
    success: "The proxy serves requests.",
  }),
].map(translateProbe);
