import { ConnectionGuard, createHostCheck, onStopping } from "flags-server-kit/http";
import type { AccessControl } from "../core/access/access-control.ts";
import type { ProxyConfig } from "../config/config.ts";
import { PROGRAM } from "../config/program.ts";
import { createCallerAddress } from "../node/caller-address.ts";
import { operationRoutes } from "../core/application.ts";
import { Handler } from "../core/routing/handler.ts";
import { isReady } from "../core/operations/readiness.ts";
import type { Metrics } from "../metrics/metrics.ts";
import { AppServer } from "../node/app-server.ts";
import { createNodeListener } from "../node/listener.ts";
import type { Source } from "../sources/sources.ts";

/** Connections of probes and metrics collectors. They do not count against those of clients. */
const MAX_CONNECTIONS = 200;

interface ManagementDependencies {
  readonly sources: readonly Source[];
  readonly metrics: Metrics;
  readonly access: AccessControl;
}

/** Builds the server of the management port, with the same paths as on the main port. The caller must close it. */
export function buildManagementServer(
  config: ProxyConfig,
  { sources, metrics, access }: ManagementDependencies,
): AppServer {
  const { basePath, logger, network } = config;
  const guard = new ConnectionGuard({
    maxConnections: MAX_CONNECTIONS,
    logger,
    hint: "find out what opens so many connections to the management port",
  });
  let isStopping = false;
  const routes = operationRoutes(
    {
      config,
      version: PROGRAM.version,
      access,
      sources,
      metrics,
      isStopping: () => isStopping,
      callerAddress: createCallerAddress(config.trustProxy),
    },
    { isPrivate: true, omitsManagement: false },
  );
  const { host } = network.management ?? config;
  const handler = new Handler({
    basePath,
    routes,
    isOwnHost: createHostCheck({ ...config, host }),
    isReady: () => isReady(sources),
    onFailure: ({ message, cause }) => logger.error(message, cause),
  });
  const listener = createNodeListener({
    handler,
    observe: metrics.requests.observe,
    readsForwarded: false,
    tracer: undefined,
    logger,
  });
  const management = new AppServer({ guard, listener });
  const stop = (): void => {
    isStopping = true;
  };
  onStopping(management.server, stop);
  management.beforeClose(stop);
  return management;
}
