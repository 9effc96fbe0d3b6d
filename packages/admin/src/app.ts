import Fastify, { type FastifyInstance, type FastifyServerOptions } from "fastify";
import {
  ConnectionGuard,
  limitBodyMemory,
  observeConnections,
  observeRequests,
} from "flags-server-kit/http";
import { nameSetting, streamsWithin, type TrustProxy } from "flags-server-kit";
import { decorateActor } from "./access/actor-of.ts";
import { tokenIdOf } from "./access/token-of.ts";
import { createAuthentication } from "./access/authentication.ts";
import type { AdminConfig } from "./config/config.ts";
import { tooManyBodies } from "./errors.ts";
import { handleFailures } from "./http/failures.ts";
import { readJsonBodies } from "./http/json-bodies.ts";
import { addSecurityHeaders, forbidStoring } from "./http/security-headers.ts";
import { SETTINGS } from "./config/settings.ts";
import { LIMITS } from "./limits.ts";
import { serverOptions } from "./http/server-options.ts";
import { refuseUnstorable } from "./http/refuse-unstorable.ts";
import { registerAdminRoutes } from "./admin-routes.ts";
import { describeRoutes } from "./http/openapi/describe-routes.ts";
import { registerOpenApi } from "./http/openapi/openapi.ts";
import { createMetrics, METRICS_PREFIX } from "./monitoring/metrics.ts";
import { registerOperations } from "./monitoring/routes.ts";
import { registerSdkApi } from "./client-api/register-sdk-api.ts";
import type { Storage } from "./storage/storage.ts";

/**
 * Builds the service over a storage. The storage is not closed here: that is up to whoever opened
 * it.
 */
export async function buildApp(
  config: Pick<AdminConfig, "logger" | "maxConnections"> & Partial<Pick<AdminConfig, "trustProxy">>,
  storage: Storage,
): Promise<FastifyInstance> {
  const { maxConnections, trustProxy = false } = config;
  const guard = new ConnectionGuard({
    maxConnections,
    logger: config.logger,
    hint: `raise ${nameSetting(SETTINGS.maxConnections)} or run more replicas`,
  });
  const app = Fastify({ ...serverOptions(guard), trustProxy: toTrustOption(trustProxy) });
  const authentication = createAuthentication(storage);
  app.addHook("onClose", () => authentication.close());
  const metrics = createMetrics(storage);
  observeConnections(metrics.registry, METRICS_PREFIX, guard);
  observeRequests(app, metrics.observeRequest);
  handleFailures(app, config.logger, metrics.observeFailure);
  addSecurityHeaders(app);
  limitBodyMemory(app, { toError: tooManyBodies, keyOf: tokenIdOf });
  readJsonBodies(app);
  decorateActor(app);
  // Answers are what the handlers return; the schemas describe them.
  app.setSerializerCompiler(() => JSON.stringify);
  await registerOpenApi(app);
  registerOperations(app, { storage, registry: metrics.registry });

  await app.register(
    async (scope) => {
      describeRoutes(scope, "adminToken");
      forbidStoring(scope);
      scope.addHook("onRequest", authentication.requireAdmin);
      refuseUnstorable(scope);
      registerAdminRoutes(scope, storage);
    },
    { prefix: "/api/admin" },
  );
  metrics.observeStreams(
    await registerSdkApi(app, {
      storage,
      authentication,
      streams: { maxStreams: streamsWithin(maxConnections, LIMITS.streams) },
    }),
  );
  return app;
}

/** The setting as the framework takes it. */
function toTrustOption(trustProxy: TrustProxy): NonNullable<FastifyServerOptions["trustProxy"]> {
  if (typeof trustProxy === "number") return (_address, hop) => hop < trustProxy;
  return typeof trustProxy === "boolean" ? trustProxy : [...trustProxy];
}
