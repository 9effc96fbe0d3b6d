import type { Server } from "node:http";
import { describeListening, nameSetting, type OpenPort, openPort } from "flags-server-kit";
import type { Logger } from "flags-server-kit/neutral";
import type { ConnectionGuard } from "flags-server-kit/http";
import { createForwardingServer } from "../node/forwarding-server.ts";
import { TlsFiles } from "../node/tls-files.ts";
import type { ProxyConfig } from "../config/config.ts";
import { MANAGEMENT_VARIABLES } from "../config/list-ports.ts";
import { loadTlsMaterial, type TlsConfig } from "../config/load-network.ts";
import { SETTINGS } from "../config/settings.ts";
import { createAllowRequest } from "../node/access-list.ts";
import type { AppServer } from "../node/app-server.ts";
import { createRedirectServer } from "../node/redirect-server.ts";

export function followTlsFiles({ material, files }: TlsConfig, logger: Logger): TlsFiles {
  const { cert, key, clientCa } = files;
  return new TlsFiles({
    material,
    paths: [cert, key, clientCa].flatMap((file) => (file === undefined ? [] : [file.path])),
    load: () => loadTlsMaterial(files),
    logger,
  });
}

interface PortsOptions {
  readonly config: ProxyConfig;
  readonly guard: ConnectionGuard;
  /** Undefined: metrics and operations are on the main port. */
  readonly management: AppServer | undefined;
}

/** The ports of a proxy. The application closes them with itself. */
export interface OpenPorts {
  /** The port that clients should use: the TLS port, if there is one. */
  readonly main: OpenPort;
  /** Plain HTTP next to TLS, if that is configured. */
  readonly plain: OpenPort | undefined;
  /** Servers in addition to that of the application. */
  readonly furtherServers: readonly Server[];
}

export async function openPorts(
  app: AppServer,
  { config, guard, management }: PortsOptions,
): Promise<OpenPorts> {
  const { host, port, network } = config;
  const { tls } = network;
  const plain = createPlainServer(app, config, guard);
  if (plain !== undefined) app.addServer(plain);
  if (management !== undefined) app.onClose(() => management.close());

  try {
    const main = await openPort(app.server, {
      host,
      port: tls?.port ?? port,
      variables: { port: plain === undefined ? "PORT" : "FLAGS_TLS_PORT", host: "HOST" },
    });
    const openPlain = plain && (await openPort(plain, { host, port }));
    if (management !== undefined && network.management !== undefined) {
      const opened = await openPort(management.server, {
        ...network.management,
        variables: MANAGEMENT_VARIABLES,
      });
      const where = describeListening(network.management.host, [opened], opened.origin);
      config.logger.info(`Management endpoints: ${where}`);
    }
    const furtherServers = [plain, management?.server].filter((server) => server !== undefined);
    return { main, plain: openPlain, furtherServers };
  } catch (error) {
    await app.close();
    throw error;
  }
}

/** The server of the plain-HTTP port next to the TLS port: it redirects, or serves the same. */
function createPlainServer(
  app: AppServer,
  config: ProxyConfig,
  guard: ConnectionGuard,
): Server | undefined {
  const { tls } = config.network;
  if (tls?.port === undefined) return undefined;
  if (!tls.redirects) return createForwardingServer(guard, app.server);
  return createRedirectServer({
    guard,
    isAllowed: createAllowRequest(config),
    readsForwarded: config.trustProxy !== false,
    tlsPort: () => {
      const address = app.server.address();
      return typeof address === "object" && address !== null ? address.port : 0;
    },
  });
}

/** Warns that network settings have no effect on an application that its caller serves. */
export function warnOfUnusedPorts({ network, logger }: ProxyConfig): void {
  const unused = [
    network.tls && SETTINGS.tlsCertFile,
    network.management && SETTINGS.managementPort,
  ];
  for (const setting of unused) {
    if (setting === undefined) continue;
    logger.warn(
      `${nameSetting(setting)} has no effect on createApp(): the program that serves the application opens the ports`,
    );
  }
}
