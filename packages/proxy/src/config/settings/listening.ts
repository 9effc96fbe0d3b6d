import { availableParallelism } from "node:os";
import {
  addressesKind,
  booleanKind,
  createIntegerKind,
  hostKind,
  hostsKind,
  SettingGroup,
  type SettingKind,
  textKind,
  trustProxyKind,
} from "flags-server-kit/command-line";
import { BASE_PATH_SETTING } from "./base-path.ts";

const listening = new SettingGroup("Listening");
const network = new SettingGroup("Network");

const MAX_WORKERS = 256;
const workerCountKind = createIntegerKind({ min: 1, max: MAX_WORKERS });

/** `auto` is one process per available core. */
const workersKind: SettingKind<number> = {
  allowed: `auto, or ${workerCountKind.allowed}`,
  parse: (value) =>
    typeof value === "string" && value.toLowerCase() === "auto"
      ? Math.min(availableParallelism(), MAX_WORKERS)
      : workerCountKind.parse(value),
};

export const portKind = createIntegerKind({ min: 0, max: 65_535 });

export const LISTENING_SETTINGS = {
  port: listening.option("port", ["PORT", "PROXY_PORT"], {
    kind: portKind,
    default: 3000,
    description: "Port to listen on; 0 chooses a free one. PORT takes precedence over PROXY_PORT.",
  }),
  host: listening.option("host", "HOST", {
    kind: hostKind,
    defaultText: "all addresses",
    description: "Address to listen on, for example 127.0.0.1.",
  }),
  ...BASE_PATH_SETTING,
  workers: listening.variable("FLAGS_PROXY_WORKERS", {
    kind: workersKind,
    default: 1,
    description:
      "Number of worker processes that share the port, or auto for one per core. They share one connection to the upstream. Only the command starts workers.",
  }),
  workerTimeoutMs: listening.variable("FLAGS_PROXY_WORKER_TIMEOUT", {
    kind: createIntegerKind({ min: 1000, max: 3_600_000, of: "milliseconds" }),
    default: 15_000,
    description:
      "Milliseconds after which an unresponsive worker is killed and replaced; four times as long while it starts.",
  }),
  shutdownDelayMs: listening.variable("SHUTDOWN_DELAY", {
    kind: createIntegerKind({ min: 0, max: 600_000, of: "milliseconds" }),
    default: 5000,
    description:
      "Milliseconds for which requests are still served after SIGTERM, while GET /ready returns 503, so that load balancers notice. The process needs up to 5 s more to stop. No effect on Ctrl-C. Only the command waits.",
  }),
  maxConnections: listening.option("maxConnections", "FLAGS_MAX_CONNECTIONS", {
    kind: createIntegerKind({ min: 1, max: 1_000_000 }),
    defaultText: "fits the open-file limit",
    description:
      "Maximum number of open client connections, in each worker. At the limit, idle connections are closed to accept new ones; if none is idle, new connections are closed. Default: FLAGS_PUSH_MAX_STREAMS + 10000, or less if the process cannot open that many files.",
  }),
  trustProxy: listening.option("trustProxy", "TRUST_PROXY", {
    kind: trustProxyKind,
    default: false,
    description:
      "Which X-Forwarded-* and Forwarded headers are trusted: all (true), none (false), those from a list of IP addresses and CIDR ranges, or those of a number of proxies in front of this one. Determines the caller's address in the context and for FLAGS_ALLOW_LIST and FLAGS_DENY_LIST.",
  }),
  allowedHosts: listening.option("allowedHosts", "ALLOWED_HOSTS", {
    kind: hostsKind,
    default: [],
    description:
      "Host names under which browsers and scrapers reach the endpoints that require no key, such as the metrics: a list without ports. Other names get a 421. Always allowed: HOST, localhost, loopback addresses and, unless HOST is a loopback address, all IP addresses. Client keys, server tokens and probes work under any name.",
  }),
  tlsCertFile: network.option("tls.certFile", "FLAGS_TLS_CERT_FILE", {
    kind: textKind,
    description:
      "Path of a PEM file with the certificate of this proxy and those of intermediate CAs. Enables TLS. A renewed file is read without a restart.",
  }),
  tlsKeyFile: network.option("tls.keyFile", "FLAGS_TLS_KEY_FILE", {
    kind: textKind,
    description:
      "Path of a PEM file with the private key of the certificate, without a passphrase.",
  }),
  tlsPort: network.option("tls.port", "FLAGS_TLS_PORT", {
    kind: portKind,
    defaultText: "PORT serves TLS",
    description: "Port for TLS. If it is set, PORT serves plain HTTP, or redirects.",
  }),
  tlsRedirect: network.option("tls.redirect", "FLAGS_TLS_REDIRECT", {
    kind: booleanKind,
    default: false,
    description: "Redirects all requests from PORT to FLAGS_TLS_PORT, with a 308.",
  }),
  tlsClientCaFile: network.option("tls.clientCaFile", "FLAGS_TLS_CLIENT_CA_FILE", {
    kind: textKind,
    description:
      "Path of a PEM file with certificates of CAs. If it is set, TLS clients need a certificate signed by one of them.",
  }),
  allowList: network.option("allowList", "FLAGS_ALLOW_LIST", {
    kind: addressesKind,
    defaultText: "all addresses",
    description:
      "Only these IP addresses and CIDR ranges may send requests; others get a 403. Behind a load balancer, set TRUST_PROXY. Does not apply to the management port.",
  }),
  denyList: network.option("denyList", "FLAGS_DENY_LIST", {
    kind: addressesKind,
    default: [],
    description:
      "These IP addresses and CIDR ranges get a 403, even if they are in the allow list. Does not apply to the management port.",
  }),
  managementPort: network.option("management.port", "FLAGS_MANAGEMENT_PORT", {
    kind: portKind,
    defaultText: "none: PORT serves everything",
    description:
      "Separate port, without TLS, for metrics, /status, /internal-backstage, /live, /ready and /proxy/health. If it is set, PORT does not serve metrics, /status or /internal-backstage.",
  }),
  managementHost: network.option("management.host", "FLAGS_MANAGEMENT_HOST", {
    kind: hostKind,
    defaultText: "same as HOST",
    description: "Address of the management port, for example 127.0.0.1.",
  }),
};
