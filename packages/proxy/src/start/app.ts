import type { FlagSource } from "../upstream/flag-source.ts";
import { nameSetting, shareStreams } from "flags-server-kit";
import {
  ConnectionGuard,
  createHostCheck,
  observeConnections,
  onStopping,
  runInTrace,
} from "flags-server-kit/http";
import type { RequestTracer } from "flags-server-kit/telemetry";
import type { TlsFiles } from "../node/tls-files.ts";
import type { AccessControl } from "../core/access/access-control.ts";
import type { Visibility } from "../core/access/visible-flags.ts";
import { MAX_SDK_STREAMS } from "../config/check-settings.ts";
import type { ProxyConfig } from "../config/config.ts";
import { PROGRAM } from "../config/program.ts";
import { SETTINGS } from "../config/settings.ts";
import { createCallerAddress, createRequestOrigin } from "../node/caller-address.ts";
import { applicationRoutes } from "../core/application.ts";
import { Cors } from "../core/routing/cors.ts";
import { EvaluationReporter } from "../core/routes/evaluation-reporter.ts";
import { Handler, type HandlerOptions } from "../core/routing/handler.ts";
import { describeRoutes, type SecuritySchemes } from "../core/routing/openapi.ts";
import { createProtocol, type Protocol } from "../core/routes/protocol.ts";
import { PROTOCOLS } from "../core/protocols/protocols.ts";
import { isReady, whenReady } from "../core/operations/readiness.ts";
import { renderNewSnapshots } from "../core/response/rendering.ts";
import { ResponseCache } from "../core/response/response-cache.ts";
import { createEvaluatePage, type EvaluatePage } from "../core/pages/evaluate-page.ts";
import type { Route } from "../core/routing/route.ts";
import { createDefinitionsReader } from "../core/server-sdk/definitions-document.ts";
import { DefinitionsFeeds } from "../core/server-sdk/definitions-feed.ts";
import type { KeyVerifier } from "../core/access/verified-key.ts";
import { createAccessControl } from "./create-access-control.ts";
import { createFetchHandler, type FetchHandler, withoutStreams } from "../fetch/fetch-adapter.ts";
import { observeKeys } from "../metrics/key-metrics.ts";
import { createMetrics, type Metrics } from "../metrics/metrics.ts";
import { METRICS_PREFIX } from "../metrics/metric-set.ts";
import { observeSources } from "../metrics/source-metrics.ts";
import { observeDefinitionsStreams } from "../metrics/stream-metrics.ts";
import { observeFlagUsage } from "../metrics/usage-metrics.ts";
import { createAllowRequest } from "../node/access-list.ts";
import { AppServer } from "../node/app-server.ts";
import { createNodeListener, type NodeListener } from "../node/listener.ts";
import { apiPageRoutes } from "../node/api-page.ts";
import { createClientStreams } from "../node/streaming/flag-streams.ts";
import { DefinitionsStreams } from "../node/streaming/definitions-streams.ts";
import type { Source } from "../sources/sources.ts";
import { FlagUsage } from "../core/usage/flag-usage.ts";

export interface AppOptions {
  /** @default the metrics of this process */
  readonly metrics?: Metrics;
  /** Memory limit in bytes for each response cache. @default depends on the cache */
  readonly cacheBytes?: number;
  /** The certificate to serve TLS with. @default plain HTTP */
  readonly tls?: TlsFiles | undefined;
  /** Whether metrics and operations are omitted, because another port serves them. @default false */
  readonly omitsManagement?: boolean;
  /** Traces requests. @default none are traced */
  readonly tracer?: RequestTracer | undefined;
  /** Verifies keys, if the upstream does that. @default one that calls the upstream */
  readonly verifier?: KeyVerifier | undefined;
  /** Closes what the app depends on, together with it. */
  readonly onClose?: () => Promise<void>;
}

export interface App {
  readonly access: AccessControl;
  readonly guard: ConnectionGuard;
  readonly routes: readonly Route[];
  readonly listener: NodeListener;
  readonly fetch: FetchHandler;
  readonly evaluate: EvaluatePage;
  /** Resolves as soon as there are flags. Rejects if the app is closed first. */
  readonly flagsReady: () => Promise<void>;
  /** A server for the listener, which does not listen yet. Closing it closes the app. */
  readonly main: AppServer;
}

/** Builds the proxy on its sources. The caller must start and close them. */
export async function buildApp(
  config: ProxyConfig,
  sources: readonly Source[],
  options: AppOptions = {},
): Promise<App> {
  const { metrics = createMetrics(), verifier } = options;
  const { registry } = metrics;
  const access = await createAccessControl(config, sources, { registry, verifier });
  try {
    const app = buildOnKeys(config, sources, { ...options, metrics, access });
    // NOTE: together. Each may wait for an upstream or a store that hangs, for as long as a shutdown may take.
    app.main.onClose(async () => {
      await Promise.all([access.close(), options.onClose?.()]);
    });
    return app;
  } catch (error) {
    await access.close();
    throw error;
  }
}

interface KeyedOptions extends AppOptions {
  readonly metrics: Metrics;
  readonly access: AccessControl;
}

function buildOnKeys(config: ProxyConfig, sources: readonly Source[], options: KeyedOptions): App {
  const { metrics, access, cacheBytes, tls, tracer } = options;
  const { basePath, logger, maxConnections } = config;
  const { registry } = metrics;
  const guard = new ConnectionGuard({
    maxConnections,
    logger,
    hint: `raise ${nameSetting(SETTINGS.maxConnections)} or run more replicas`,
  });
  observeSources(metrics, sources);
  observeKeys(registry, {
    uses: access.uses,
    grants: () => access.fileGrants,
    file: () => access.fileState,
  });
  observeConnections(registry, METRICS_PREFIX, guard);

  const findTrace = (request: object) => tracer?.find(request as never);
  const callerAddress = createCallerAddress(config.trustProxy);
  const isAllowed = createAllowRequest(config);
  const reporter = tracer && new EvaluationReporter(findTrace, config.evaluationIdKey);
  const protocols = PROTOCOLS.map((definition) =>
    createProtocol(definition, config, { reporter, callerAddress, isAllowed }),
  );
  const cache = new ResponseCache(cacheBytes);
  const streams = createStreams(config, sources, { ...options, protocols });
  const usageRules = {
    metrics: metrics.usage,
    flagUsage: createFlagUsage(config, registry),
    metricsIntervalMs: config.metricsIntervalMs,
  };
  let isStopping = false;
  const described = applicationRoutes({
    config,
    version: PROGRAM.version,
    access,
    sources,
    metrics,
    protocols,
    cache,
    usageRules,
    ...streams,
    originOf: createRequestOrigin(config.trustProxy),
    isStopping: () => isStopping,
    callerAddress,
    omitsManagement: options.omitsManagement ?? false,
  });
  const routes = [...described, ...documentRoutes(config, { routes: described, protocols })];
  const handlerOptions: Omit<HandlerOptions, "routes"> = {
    basePath,
    cors: new Cors(config),
    errorFormats: protocols.flatMap(({ definition: { errors } }) =>
      errors === undefined ? [] : [{ ...errors, path: basePath + errors.path }],
    ),
    isAllowed,
    isOwnHost: createHostCheck(config),
    isReady: () => isReady(sources),
    onRoute: tracer && ((request, route) => findTrace(request)?.setRoute(route)),
    onFailure: ({ request, message, cause }) =>
      runInTrace(tracer, request as never, () => logger.error(message, cause)),
  };
  const listener = createNodeListener({
    handler: new Handler({ ...handlerOptions, routes }),
    observe: metrics.requests.observe,
    readsForwarded: config.trustProxy !== false,
    tracer,
    logger,
    sharedBytes: cacheBytes,
  });

  const main = new AppServer({ guard, listener, tls });
  const stop = (): void => {
    isStopping = true;
  };
  onStopping(main.server, stop);
  main.beforeClose(stop);
  // Otherwise, streams would keep their connections open.
  main.beforeClose(streams.close);
  const flagSources = sources.map(({ flags }) => flags);
  main.onClose(
    renderNewSnapshots(flagSources, protocols, (source) => access.visibility.of(source)),
  );
  main.onClose(releaseReplaced(cache, flagSources, access.visibility));
  const evaluate = createEvaluatePage({ config, access, usageRules });
  const closed = new Promise<never>((_, reject) => {
    main.beforeClose(() => reject(new Error("The proxy was closed")));
  });
  closed.catch(() => undefined);
  const ready = whenReady(sources);
  const flagsReady = (): Promise<void> => Promise.race([ready, closed]);
  const fetch = createFetchHandler(
    new Handler({ ...handlerOptions, routes: routes.map(withoutStreams) }),
  );
  return { access, guard, routes, listener, fetch, evaluate, flagsReady, main };
}

interface StreamsOptions extends KeyedOptions {
  readonly protocols: readonly Protocol[];
}

function createStreams(
  config: ProxyConfig,
  sources: readonly Source[],
  { protocols, metrics: { registry }, access, cacheBytes }: StreamsOptions,
) {
  const { maxConnections, push } = config;
  const { keys } = access;
  const flagSources = sources.map(({ flags }) => flags);
  const [forClients, forSdks] = shareStreams(maxConnections, push.maxStreams, MAX_SDK_STREAMS);
  const feeds = new DefinitionsFeeds();
  const definitions = new DefinitionsStreams(flagSources, feeds, { maxStreams: forSdks });
  observeDefinitionsStreams(registry, definitions);
  const toClients = createClientStreams(config, {
    sources: flagSources,
    protocols,
    registry,
    maxStreams: forClients,
    cacheBytes,
  });
  access.onChange(() => {
    definitions.endUnless((grant) => keys.isCurrent(grant));
    toClients.endUnless((grant) => keys.isCurrent(grant));
  });
  return {
    definitions: { read: createDefinitionsReader(), feeds, streams: definitions },
    clientStreams: push.maxStreams === 0 ? undefined : toClients,
    close: (): void => {
      definitions.close();
      toClients.close();
    },
  };
}

function documentRoutes(
  config: ProxyConfig,
  {
    routes,
    protocols,
  }: { readonly routes: readonly Route[]; readonly protocols: readonly Protocol[] },
): readonly Route[] {
  if (!config.openApiEnabled) return apiPageRoutes(config.basePath, undefined);
  const { version } = PROGRAM;
  const schemes = protocols.map(({ definition }) => definition.securitySchemes);
  const securitySchemes: SecuritySchemes = Object.assign({}, ...schemes);
  return apiPageRoutes(config.basePath, () =>
    describeRoutes(routes, { ...config, version, securitySchemes }),
  );
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

function createFlagUsage(
  { usageMetricsApplications: applications }: ProxyConfig,
  registry: Metrics["registry"],
): FlagUsage | undefined {
  if (applications.length === 0) return undefined;
  const usage = new FlagUsage(applications);
  observeFlagUsage(registry, usage);
  return usage;
}
