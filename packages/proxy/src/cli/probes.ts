import { createProbe, type Subcommand } from "flags-server-kit/command-line";
import { SETTINGS } from "../config/settings.ts";
import { translateProbe } from "./translated-probe.ts";

const { port, host, proxyBasePath } = SETTINGS;
const ENDPOINT = {
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
