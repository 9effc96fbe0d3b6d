import Fastify, { type FastifyInstance } from "fastify";
import type { FlagSource } from "./upstream/flag-source.ts";
import { nameSetting } from "flags-server-kit";
import {
  compressResponses,
  ConnectionGuard,
  createHostCheck,
  limitBodyMemory,
  observeConnections,
  observeRequests,
  protectRoutes,
  releaseRequests,
  type TlsFiles,
  traceRequests,
} from "flags-server-kit/http";
import type { RequestTracer } from "flags-server-kit/telemetry";
import { keyOf } from "./api/authenticate.ts";
import type { AccessControl } from "./access/access-control.ts";
import type { Visibility } from "./access/visible-flags.ts";
import { EvaluationReporter } from "./api/evaluation-reporter.ts";
import { createProtocol } from "./api/protocol.ts";
import { PROTOCOLS } from "./api/protocols/protocols.ts";
import { registerRoutes } from "./api/routes.ts";
import type { ProxyConfig } from "./config/config.ts";
import { SETTINGS } from "./config/settings.ts";
import { misdirected, tooManyBodies, unknownPath } from "./errors.ts";
import { createFastPaths, createServerFactory } from "./fast-path/fast-path.ts";
import { createAllowRequest, rejectOtherAddresses } from "./http/access-lists.ts";
import { registerCors } from "./http/cors.ts";
import { decompressRequests, isCompressed } from "./http/decompress-requests.ts";
import { registerOpenApi, rejectOpenApi, type SecuritySchemes } from "./http/openapi.ts";
import { isReady, rejectUntilReady } from "./http/readiness.ts";
import { createErrorSender, handleErrors, handleUnknownPaths } from "./http/error-handler.ts";
import { ownCompilersOnly, serverOptions } from "./http/server-options.ts";
import { observeKeys } from "./metrics/key-metrics.ts";
import { createMetrics, type Metrics } from "./metrics/metrics.ts";
import { METRICS_PREFIX } from "./metrics/metric-set.ts";
import { observeSources } from "./metrics/source-metrics.ts";
import { observeFlagUsage } from "./metrics/usage-metrics.ts";
import { ResponsePreparer } from "./response/prepare-response.ts";
import { ResponseCache } from "./response/response-cache.ts";
import { renderNewSnapshots } from "./response/rendering.ts";
import { createAccessControl } from "./create-access-control.ts";
import type { Source } from "./sources.ts";
import { FlagUsage } from "./usage/flag-usage.ts";

export interface AppOptions {
  /**
   * Whether the most common requests bypass the framework. They run no hooks then, so this must be
   * false for an app that is handed to a caller, who may add hooks.
   */
  readonly hasFastPath: boolean;
  /** @default the metrics of this process */
  readonly metrics?: Metrics;
  /** Memory limit in bytes for each response cache. @default depends on the cache */
  readonly cacheBytes?: number;
  /** @default a new one */
  readonly guard?: ConnectionGuard;
  /** The certificate to serve TLS with. @default plain HTTP */
  readonly tls?: TlsFiles | undefined;
  /** Whether metrics and operations are omitted, because another port serves them. @default false */
  readonly omitsManagement?: boolean;
  /** Traces requests. @default none are traced */
  readonly tracer?: RequestTracer | undefined;
  /**
   * The keys. They are closed if the app cannot be built; otherwise the caller must close them.
   *
   * @default the keys of the configuration, closed with the app
   */
  readonly access?: AccessControl;
}

/** Builds the proxy on its sources. The caller must start and close them. */
export async function buildApp(
  config: ProxyConfig,
  sources: readonly Source[],
  options: AppOptions = { hasFastPath: true },
): Promise<FastifyInstance> {
  const { metrics = createMetrics() } = options;
  const { registry } = metrics;
  const { access = await createAccessControl(config, sources, { registry }) } = options;
  try {
    const app = await buildOnKeys(config, sources, { ...options, metrics, access });
    if (options.access === undefined) app.addHook("onClose", () => access.close());
    return app;
  } catch (error) {
    await access.close();
    throw error;
  }
}

async function buildOnKeys(
  config: ProxyConfig,
  sources: readonly Source[],
  options: AppOptions & Required<Pick<AppOptions, "access" | "metrics">>,
): Promise<FastifyInstance> {
  const { hasFastPath, metrics, access, cacheBytes } = options;
  const { guard = createGuard(config), tls, tracer, omitsManagement = false } = options;
  const { registry } = metrics;
  const { keys, uses } = access;
  observeSources(metrics, sources);
  observeKeys(registry, {
    uses,
    grants: () => access.fileGrants,
    file: () => access.fileState,
  });

  const preparer = new ResponsePreparer(cacheBytes);
  const reporter = tracer && new EvaluationReporter(tracer, config.evaluationIdKey);
  const protocols = PROTOCOLS.map((definition) =>
    createProtocol(definition, config, { preparer, reporter }),
  );
  const { observe } = metrics.requests;
  const cache = new ResponseCache(cacheBytes);
  const fastPaths = hasFastPath
    ? createFastPaths(config, { keys, uses, protocols, observe, cache })
    : [];
  const closeFastPaths = (): void => fastPaths.forEach((path) => path.close());

  const sendError = createErrorSender(
    protocols.flatMap(({ definition: { errors } }) =>
      errors === undefined ? [] : [{ ...errors, path: config.basePath + errors.path }],
    ),
  );
  const isAllowed = createAllowRequest(config);
  observeConnections(registry, METRICS_PREFIX, guard);
  const app = Fastify({
    ...serverOptions(config, { sources, sendError, guard, isAllowed }),
    ...(hasFastPath && ownCompilersOnly),
    serverFactory: createServerFactory(fastPaths, {
      guard,
      isReady: () => isReady(sources),
      isAllowed,
      readsForwarded: config.trustProxy !== false,
      tls,
      tracer,
    }),
  });
  releaseRequests(app);
  app.addHook("preClose", async () => closeFastPaths());
  const flagSources = sources.map(({ flags }) => flags);
  const stopRendering = renderNewSnapshots(flagSources, protocols, (source) =>
    access.visibility.of(source),
  );
  const stopReleasing = releaseReplaced(cache, flagSources, access.visibility);
  app.addHook("onClose", async () => {
    stopRendering();
    stopReleasing();
  });
  handleErrors(app, { logger: config.logger, sendError, tracer });
  observeRequests(app, observe);
  if (tracer !== undefined) traceRequests(app, tracer);
  // NOTE: hooks run in this order. Preflights contain no key, and browsers must be able to read errors.
  registerCors(app, config);
  if (isAllowed !== undefined) rejectOtherAddresses(app, isAllowed);
  protectRoutes(app, { isOwnHost: createHostCheck(config), misdirected, unknownPath });
  rejectUntilReady(app, sources);
  handleUnknownPaths(app, sendError);
  limitBodyMemory(app, { toError: tooManyBodies, keyOf, isDecompressed: isCompressed });
  decompressRequests(app);
  compressResponses(app);
  if (config.openApiEnabled) {
    const schemes = protocols.map(({ definition }) => definition.securitySchemes);
    await registerOpenApi(app, config, Object.assign({}, ...schemes) as SecuritySchemes);
  } else rejectOpenApi(app, config);

  await registerRoutes(app, {
    config,
    access,
    sources,
    metrics,
    flagUsage: createFlagUsage(config, registry),
    protocols,
    cacheBytes,
    omitsManagement,
  });
  return app;
}

/** Releases cached responses as soon as their snapshot is replaced. Returns a function that stops this. */
function releaseReplaced(
  cache: ResponseCache,
  sources: readonly FlagSource[],
  visibility: Visibility,
): () => void {
  const release = (): void => {
    cache.retain(sources.flatMap((source) => visibility.snapshotsOf(source)));
  };
  for (const source of sources) source.on("changed", release);
  return () => sources.forEach((source) => void source.off("changed", release));
}

/** Returns undefined unless it is configured: every flag adds time series. */
function createFlagUsage(
  { usageMetricsApplications: applications }: ProxyConfig,
  registry: Metrics["registry"],
): FlagUsage | undefined {
  if (applications.length === 0) return undefined;
  const usage = new FlagUsage(applications);
  observeFlagUsage(registry, usage);
  return usage;
}

/** Creates the limit of connections, which all ports for clients share. */
export function createGuard({
  maxConnections,
  logger,
}: Pick<ProxyConfig, "maxConnections" | "logger">): ConnectionGuard {
  return new ConnectionGuard({
    maxConnections,
    logger,
    hint: `raise ${nameSetting(SETTINGS.maxConnections)} or run more replicas`,
  });
}
