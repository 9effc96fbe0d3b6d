import Fastify, { type FastifyInstance } from "fastify";
import type { FlagSource } from "flags-sdk";
import { nameSetting } from "flags-server-kit";
import {
  ConnectionGuard,
  limitBodyMemory,
  observeConnections,
  observeRequests,
} from "flags-server-kit/http";
import { keyOf } from "./access/authenticate.ts";
import { createKeyRegistry } from "./access/create-key-registry.ts";
import type { ProxyConfig } from "./config/config.ts";
import { SETTINGS } from "./config/settings.ts";
import { registerCors } from "./http/cors.ts";
import { registerCompression } from "./http/compression.ts";
import { tooManyBodies } from "./errors.ts";
import { createFastPaths, createShortcut } from "./fast-path/fast-path.ts";
import { createFailureSender, handleFailures } from "./http/failures.ts";
import { ownCompilersOnly, serverFactory, serverOptions } from "./http/server-options.ts";
import { createMetrics, METRICS_PREFIX, type Metrics } from "./metrics/metrics.ts";
import { observeSources } from "./metrics/observe-sources.ts";
import { registerOpenApi, type SecuritySchemes } from "./http/openapi.ts";
import { gateUntilReady } from "./http/readiness.ts";
import { ResponsePreparer } from "./response/prepare-response.ts";
import { renderAhead } from "./response/rendering.ts";
import { createProtocol } from "./api/protocol.ts";
import { PROTOCOLS } from "./api/protocols.ts";
import { registerRoutes } from "./api/routes.ts";

export interface AppOptions {
  /**
   * Whether the most common requests are answered ahead of the framework. Hooks that are added to the
   * app do not see them then, so not for an app that is handed out before it listens.
   */
  readonly hasFastPath: boolean;
  /** Where it counts. @default metrics of its own */
  readonly metrics?: Metrics;
  /** Memory in bytes for each cache of responses. @default chosen by each cache */
  readonly cacheBytes?: number;
}

/**
 * Builds the proxy over a source of flags. The source is neither started nor closed here: that is
 * up to whoever made it.
 */
export async function buildApp(
  config: ProxyConfig,
  source: FlagSource,
  { hasFastPath, metrics = createMetrics(), cacheBytes }: AppOptions = { hasFastPath: true },
): Promise<FastifyInstance> {
  const ring = createKeyRegistry(config, source);
  observeSources(metrics.registry, ring.sources);

  const preparer = new ResponsePreparer(cacheBytes);
  const protocols = PROTOCOLS.map((definition) => createProtocol(definition, config, preparer));
  const { observeRequest: observe } = metrics;
  const fastPaths = hasFastPath
    ? createFastPaths(config, { keys: ring, protocols, observe, cacheBytes })
    : [];
  const closeFastPaths = (): void => fastPaths.forEach((path) => path.close());

  const sendFailure = createFailureSender(
    protocols.flatMap(({ definition: { errors } }) =>
      errors === undefined ? [] : [{ ...errors, path: config.basePath + errors.path }],
    ),
  );
  const guard = new ConnectionGuard({
    maxConnections: config.maxConnections,
    logger: config.logger,
    advice: `raise ${nameSetting(SETTINGS.maxConnections)} or run more replicas`,
  });
  observeConnections(metrics.registry, METRICS_PREFIX, guard);
  const app = Fastify({
    ...serverOptions(config, { sources: ring.sources, sendFailure, guard }),
    ...(hasFastPath && ownCompilersOnly),
    serverFactory: serverFactory(createShortcut(fastPaths), guard),
  });
  app.addHook("preClose", async () => closeFastPaths());
  const stopRendering = renderAhead(ring.sources, protocols);
  app.addHook("onClose", async () => stopRendering());
  handleFailures(app, { logger: config.logger, sendFailure });
  observeRequests(app, observe);
  // NOTE: hooks run in this order. Preflights carry no key, and must be answered to be readable.
  registerCors(app, config);
  gateUntilReady(app, ring.sources);
  limitBodyMemory(app, { toError: tooManyBodies, keyOf });
  await registerCompression(app);
  if (config.openApiEnabled) {
    const schemes = protocols.map(({ definition }) => definition.securitySchemes);
    await registerOpenApi(app, config, Object.assign({}, ...schemes) as SecuritySchemes);
  }

  await registerRoutes(app, { config, keys: ring, metrics, protocols, cacheBytes });
  return app;
}
