import Fastify, { type FastifyInstance } from "fastify";
import {
  ConnectionGuard,
  limitBodyMemory,
  observeConnections,
  observeRequests,
} from "flags-server-kit/http";
import { nameSetting, streamsWithin } from "flags-server-kit";
import { tokenIdOf } from "./access/request-token.ts";
import { createAuthentication } from "./access/authentication.ts";
import type { AdminConfig } from "./config/config.ts";
import { tooManyBodies } from "./errors.ts";
import { handleErrors } from "./http/error-handler.ts";
import {
  addSecurityHeaders,
  compileSchemasOnUse,
  forbidCaching,
  readJsonBodies,
  serverOptions,
} from "./http/server.ts";
import { SETTINGS } from "./config/settings.ts";
import { LIMITS } from "./limits.ts";
import { rejectUnstorable } from "./http/reject-unstorable.ts";
import { describeRoutes, registerOpenApi } from "./http/openapi.ts";
import { registerStartPage } from "./http/start-page.ts";
import { registerAdminRoutes } from "./admin-routes.ts";
import { createMetrics, METRICS_PREFIX } from "./monitoring/metrics.ts";
import { registerMonitoring } from "./monitoring/routes.ts";
import { registerClientApi } from "./client-api/register-client-api.ts";
import { deleteRegularly } from "./retention/delete-regularly.ts";
import { DEFAULT_RETENTION } from "./retention/retention.ts";
import type { Storage } from "./storage/storage.ts";

/** Builds the app on a storage. The caller closes the storage after the app. */
export async function buildApp(
  config: Pick<AdminConfig, "logger" | "maxConnections"> &
    Partial<Pick<AdminConfig, "retention" | "trustProxy">>,
  storage: Storage,
): Promise<FastifyInstance> {
  const { logger, maxConnections, retention = DEFAULT_RETENTION, trustProxy = false } = config;
  const guard = new ConnectionGuard({
    maxConnections,
    logger,
    hint: `raise ${nameSetting(SETTINGS.maxConnections)} or run more replicas`,
  });
  const app = Fastify(serverOptions(guard, trustProxy));
  const authentication = createAuthentication(storage);
  app.addHook("onClose", () => authentication.close());
  deleteWhileOpen(app, { storage, retention, logger });
  const metrics = createMetrics(storage);
  observeConnections(metrics.registry, METRICS_PREFIX, guard);
  observeRequests(app, metrics.observeRequest);
  handleErrors(app, logger, metrics.observeError);
  addSecurityHeaders(app);
  limitBodyMemory(app, { toError: tooManyBodies, keyOf: tokenIdOf });
  readJsonBodies(app);
  compileSchemasOnUse(app);
  // Responses are serialized as returned. Their schemas only document them.
  app.setSerializerCompiler(() => JSON.stringify);
  await registerOpenApi(app);
  registerStartPage(app);
  registerMonitoring(app, { storage, registry: metrics.registry });

  await app.register(
    async (scope) => {
      describeRoutes(scope, "adminToken");
      forbidCaching(scope);
      scope.addHook("onRequest", authentication.requireAdmin);
      rejectUnstorable(scope);
      registerAdminRoutes(scope, { storage, usageHours: retention.usageHours });
    },
    { prefix: "/api/admin" },
  );
  metrics.observeStreams(
    await registerClientApi(app, {
      storage,
      authentication,
      streams: { maxStreams: streamsWithin(maxConnections, LIMITS.streams) },
    }),
  );
  return app;
}

/** Deletes expired data until the app is closed. */
function deleteWhileOpen(
  app: FastifyInstance,
  options: Parameters<typeof deleteRegularly>[0],
): void {
  const closing = new AbortController();
  const ended = deleteRegularly(options, closing.signal);
  app.addHook("onClose", async () => {
    closing.abort();
    await ended;
  });
}
