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
import { hasFixedOrigin } from "./http/cors-headers.ts";
import { registerCors } from "./http/cors.ts";
import { registerCompression } from "./http/compression.ts";
import { tooManyBodies } from "./errors.ts";
import { createFastPaths, createShortcut } from "./fast-path/create-fast-path.ts";
import { handleFailures } from "./http/failures.ts";
import { createFailureSender } from "./http/send-failure.ts";
import { ownCompilersOnly, serverFactory, serverOptions } from "./http/server-options.ts";
import { createMetrics, METRICS_PREFIX, type Metrics } from "./metrics/metrics.ts";
import { observeSources } from "./metrics/observe-sources.ts";
import { registerOpenApi } from "./http/openapi.ts";
import { gateUntilReady } from "./http/readiness.ts";
import { renderAhead } from "./response/render-ahead.ts";
import { createProtocolRules } from "./api/evaluation-rules.ts";
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

  const rules = createProtocolRules(config);
  const { observeRequest: observe } = metrics;
  // Context enrichers may be asynchronous, and so may be a function that decides about origins.
  const canBypass = config.contextEnrichers.length === 0 && hasFixedOrigin(config.cors);
  const fastPaths =
    hasFastPath && canBypass ? createFastPaths(config, { ring, rules, observe, cacheBytes }) : [];
  const closeFastPaths = (): void => fastPaths.forEach((path) => path.close());

  const sendFailure = createFailureSender(config.basePath);
  const guard = new ConnectionGuard({
    maxConnections: config.maxConnections,
    logger: config.logger,
    hint: `raise ${nameSetting(SETTINGS.maxConnections)} or run more replicas`,
  });
  observeConnections(metrics.registry, METRICS_PREFIX, guard);
  const app = Fastify({
    ...serverOptions(config, { sources: ring.sources, sendFailure, guard }),
    ...(hasFastPath && ownCompilersOnly),
    serverFactory: serverFactory(createShortcut(fastPaths), guard),
  });
  app.addHook("preClose", async () => closeFastPaths());
  const stopRendering = renderAhead(ring.sources, Object.values(rules));
  app.addHook("onClose", async () => stopRendering());
  handleFailures(app, { logger: config.logger, sendFailure });
  observeRequests(app, observe);
  // NOTE: hooks run in this order. Preflights carry no key, and must be answered to be readable.
  await registerCors(app, config);
  gateUntilReady(app, ring.sources);
  limitBodyMemory(app, { toError: tooManyBodies, keyOf });
  await registerCompression(app);
  if (config.openApiEnabled) await registerOpenApi(app, config);

  await registerRoutes(app, { config, ring, metrics, rules, cacheBytes });
  return app;
}
