import Fastify, { type FastifyInstance } from "fastify";
import {
  compressResponses,
  ConnectionGuard,
  createGuardedServer,
  createHostCheck,
  observeRequests,
  protectRoutes,
} from "flags-server-kit/http";
import type { AccessControl } from "./access/access-control.ts";
import { registerOperations } from "./api/routes.ts";
import type { ProxyConfig } from "./config/config.ts";
import { misdirected, unknownPath } from "./errors.ts";
import { createErrorSender, handleErrors, handleUnknownPaths } from "./http/error-handler.ts";
import { rejectUntilReady } from "./http/readiness.ts";
import { ownCompilersOnly, serverOptions } from "./http/server-options.ts";
import type { Metrics } from "./metrics/metrics.ts";
import type { Source } from "./sources.ts";

/** Connections of probes and metrics collectors. They do not count against those of clients. */
const MAX_CONNECTIONS = 200;

interface ManagementDependencies {
  readonly sources: readonly Source[];
  readonly metrics: Metrics;
  readonly access: AccessControl;
}

/**
 * Builds the application of the management port: metrics, probes and the state of sources, under the same
 * paths as on the main port. The caller must close it.
 */
export async function buildManagementApp(
  config: ProxyConfig,
  { sources, metrics, access }: ManagementDependencies,
): Promise<FastifyInstance> {
  const { logger } = config;
  const sendError = createErrorSender([]);
  const guard = new ConnectionGuard({
    maxConnections: MAX_CONNECTIONS,
    logger,
    hint: "find out what opens so many connections to the management port",
  });
  const app = Fastify({
    ...serverOptions(config, { sources, sendError, guard }),
    ...ownCompilersOnly,
    serverFactory: (handle) => createGuardedServer(guard, handle),
  });
  handleErrors(app, { logger, sendError });
  observeRequests(app, metrics.requests.observe);
  const { host } = config.network.management ?? config;
  const isOwnHost = createHostCheck({ ...config, host });
  protectRoutes(app, { isOwnHost, misdirected, unknownPath });
  rejectUntilReady(app, sources);
  handleUnknownPaths(app, sendError);
  compressResponses(app);
  await registerOperations(app, {
    config,
    sources,
    metrics,
    access,
    omitsManagement: false,
    isPrivate: true,
  });
  return app;
}
