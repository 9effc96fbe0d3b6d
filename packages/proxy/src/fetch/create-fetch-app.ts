import type { Context } from "flags-engine";
import { type PageFlags, toBaseUrl, toHeaderMap } from "flags-sdk/neutral";
import { AccessControl } from "../core/access/access-control.ts";
import { clientRoutes } from "../core/client-routes.ts";
import { toPlainAddress } from "../core/context/plain-address.ts";
import { type HttpError, notEnabled, notReady } from "../core/http/errors.ts";
import type { ProxyRequest } from "../core/http/request.ts";
import { HEALTH_ROUTE, probeRoutes } from "../core/operations/monitoring.ts";
import { isReady } from "../core/operations/readiness.ts";
import {
  createEvaluatePage,
  type EvaluateOptions,
  type PageRules,
} from "../core/pages/evaluate-page.ts";
import { PROTOCOLS } from "../core/protocols/protocols.ts";
import { renderNewSnapshots } from "../core/response/rendering.ts";
import { ResponseCache } from "../core/response/response-cache.ts";
import { createProtocol } from "../core/routes/protocol.ts";
import { Cors } from "../core/routing/cors.ts";
import { Handler } from "../core/routing/handler.ts";
import { refuse, type Route } from "../core/routing/route.ts";
import { describeSources } from "../sources/describe-sources.ts";
import type { Source, SourceFailure } from "../sources/sources.ts";
import { identifySource } from "../store/source-identity.ts";
import { createFetchHandler, withoutStreams } from "./fetch-adapter.ts";
import {
  type BackgroundWork,
  type BunServer,
  createDefer,
  type Defer,
  type FetchInfo,
  type Invocation,
  readInvocation,
} from "./fetch-info.ts";
import { OnDemandSource } from "./on-demand-source.ts";
import { type FetchAppOptions, type FetchConfig, readFetchOptions } from "./options.ts";
import { SourceCache } from "./source-cache.ts";

/** A proxy for runtimes without servers and files. */
export interface FetchApp {
  /**
   * Handles a request. It can be passed to the runtime as it is: `export default { fetch: app.fetch }` on Workers,
   * `Deno.serve(app.fetch)`, `Bun.serve({ fetch: app.fetch })`.
   */
  readonly fetch: FetchAppHandler;
  /**
   * Resolves when there are flags. Loads them if there are none, and refreshes them if that is due.
   *
   * @throws {Error} if the upstream does not send flags within 5 s; later calls and requests try again
   */
  flagsReady(work?: BackgroundWork): Promise<void>;
  /**
   * Evaluates the flags of a client key for a page that the program renders, as a request with this key and context would.
   * If they are due, they are refreshed afterwards. Only flags that are read with the methods of the result count as
   * evaluations. Enrichers do not run.
   *
   * @throws {TypeError} if the key is not accepted, or the context is invalid
   * @throws {Error} if there are no flags yet: await `flagsReady()`
   */
  evaluate(context?: Context, options?: EvaluateOptions & BackgroundWork): PageFlags;
}

/** Handles a request of the Fetch API. Rejects only with a `TypeError`, if the request is none. */
export interface FetchAppHandler {
  (request: Request, info?: FetchInfo): Promise<Response>;
  /** As Bun calls it. */
  (request: Request, server: BunServer): Promise<Response>;
  /** As Workers call it. */
  (request: Request, bindings: object, context: Required<BackgroundWork>): Promise<Response>;
}

/** The memory of cached responses. Isolates have 128 MiB for everything. */
const CACHE_BYTES = 16 * 1024 * 1024;

/**
 * Creates a proxy that is a function from a `Request` to a `Response`, for Workers, Deno, Bun and Next.js. It loads flags when
 * a request needs them, keeps them in memory, and refreshes them after responses. It reads neither files nor the environment.
 *
 * @throws {ConfigError} with all problems, if options are invalid
 * @example
 * const app = createFetchApp({ flagsUrl, flagsApiToken, clientKeys: ["a-key-of-your-choice"] });
 * export default { fetch: app.fetch };
 */
export function createFetchApp(options: FetchAppOptions): FetchApp {
  const config = readFetchOptions(options);
  const toDefer = createDefer(config.logger);
  let started: ReturnType<typeof start> | undefined;
  // NOTE: not before the first request: identities are random, and some runtimes forbid that while they load.
  const refresh = (defer: Defer): ReturnType<typeof start> => {
    started ??= start(config);
    for (const { flags } of started.sources) flags.refresh(defer);
    return started;
  };
  const handle = async (request: Request, { address, work }: Invocation): Promise<Response> => {
    const defer = toDefer(work);
    const { respond, sendUsage } = refresh(defer);
    const response = await respond(request, address);
    sendUsage(defer);
    return response;
  };
  return {
    fetch: async (request: Request, info?: object, context?: object) =>
      handle(request, readInvocation(request, info, context)),
    flagsReady: async (work = {}) => {
      const { sources } = refresh(toDefer(work));
      await untilUsable(sources);
      if (!isReady(sources)) throw noFlags(sources);
    },
    evaluate: (context, given = {}) => {
      const defer = toDefer(given);
      const { rules, sendUsage } = refresh(defer);
      return createEvaluatePage({ ...rules, onUsage: () => sendUsage(defer) })(context, given);
    },
  };
}

function start(config: FetchConfig) {
  const sources = createSources(config);
  const rules = createRules(config, sources);
  return {
    sources,
    rules,
    respond: createFetchHandler(createHandler(rules, sources)),
    sendUsage: (defer: Defer): void => {
      for (const { flags } of sources) flags.sendUsage(defer);
    },
  };
}

async function untilUsable(sources: readonly OnDemand[]): Promise<void> {
  await Promise.all(sources.map(async ({ flags }) => flags.untilUsable()));
}

function noFlags(sources: readonly Source[]): Error {
  const [failure] = sources.flatMap(({ lastFailure }) => lastFailure() ?? []);
  return new Error(
    `There are no flags: ${failure?.message ?? "the upstream has not sent any yet"}`,
  );
}

interface OnDemand extends Source {
  readonly flags: OnDemandSource;
}

function createSources(config: FetchConfig): readonly OnDemand[] {
  const { upstreamUrl, upstreamTokens, filters, cache, logger } = config;
  return describeSources(config).map((described, index) => {
    const token = upstreamTokens[index] ?? "";
    const { id } = identifySource({ upstreamUrl, token, ...filters });
    const flags = new OnDemandSource({
      ...config,
      url: toBaseUrl(upstreamUrl),
      token,
      headers: toHeaderMap(config.upstreamHeaders),
      timeoutMs: config.upstreamTimeoutMs,
      cache: cache && new SourceCache(cache, `flags-proxy/v1/${id}`),
    });
    const prefix = upstreamTokens.length === 1 ? "" : `${described.name}: `;
    flags.on("error", (error) => logger.error(`${prefix}${error.message}`, error));
    flags.on("warn", (message) => logger.warn(prefix + message));
    let lastFailure: SourceFailure | undefined;
    flags.on("failure", ({ message }) => {
      lastFailure = { message, atMs: Date.now() };
    });
    const onFailure = (listener: () => void): void => void flags.on("failure", listener);
    return { ...described, flags, lastFailure: () => lastFailure, onFailure };
  });
}

function callerAddress({ socket }: Pick<ProxyRequest, "socket">): string | undefined {
  return toPlainAddress(socket.remoteAddress);
}

interface Rules extends PageRules {
  readonly config: FetchConfig;
}

function createRules(config: FetchConfig, sources: readonly OnDemand[]): Rules {
  const { clientKeys, metricsIntervalMs } = config;
  const keys = { clientKeys, serverTokens: [], limitsKeysToProject: false };
  return {
    config,
    access: new AccessControl(keys, sources),
    usageRules: { metrics: UNCOUNTED, flagUsage: undefined, metricsIntervalMs },
  };
}

function createHandler(rules: Rules, sources: readonly OnDemand[]): Handler {
  const { config, access } = rules;
  const { basePath, logger, maxStalenessMs } = config;
  const dependencies = { reporter: undefined, callerAddress, isAllowed: undefined };
  const protocols = PROTOCOLS.map((protocol) => createProtocol(protocol, config, dependencies));
  const cache = new ResponseCache(CACHE_BYTES);
  const routes = clientRoutes({
    ...rules,
    protocols,
    cache,
    callerAddress,
    clientStreams: undefined,
    originOf: ({ headers }) => `https://${headers.host ?? ""}`,
  });
  const flagSources = sources.map(({ flags }) => flags);
  renderNewSnapshots(flagSources, protocols, (source) => access.visibility.of(source));
  for (const source of flagSources) {
    source.on("changed", () =>
      cache.retain(flagSources.flatMap((each) => access.visibility.snapshotsOf(each))),
    );
  }
  return new Handler({
    basePath,
    routes: [
      ...routes.map((route) => waitForKey(rejectUnavailable(route), sources)),
      ...operatorRoutes(sources, maxStalenessMs),
    ],
    cors: new Cors(config),
    errorFormats: protocols.flatMap(({ definition: { errors } }) =>
      errors === undefined ? [] : [{ ...errors, path: basePath + errors.path }],
    ),
    // No route depends on it.
    isOwnHost: () => true,
    // Each route waits for the flags that it needs.
    isReady: () => true,
    onFailure: ({ message, cause }) => logger.error(message, cause),
  });
}

/** Lets requests with an accepted key wait for its flags, and not for those of other environments. */
function waitForKey(route: Route, sources: readonly OnDemand[]): Route {
  const { authenticate } = route;
  if (authenticate === undefined) return route;
  return {
    ...route,
    authenticate: async (call) => {
      await authenticate(call);
      const { flags } = call.grant.flags.source;
      await sources.find((source) => source.flags === flags)?.flags.untilUsable();
    },
  };
}

/** Health and probes. Except for `/live`, they wait for the flags of all environments. */
function operatorRoutes(
  sources: readonly OnDemand[],
  maxStalenessMs: number | undefined,
): readonly Route[] {
  const probes = probeRoutes({ sources, maxStalenessMs, isStopping: () => false });
  return [...probes, HEALTH_ROUTE].map((route) => ({
    ...route,
    handle: async (call) => {
      if (route.path !== "/live") await untilUsable(sources);
      if (route === HEALTH_ROUTE && !isReady(sources)) throw notReady();
      return route.handle(call);
    },
  }));
}

const ignore = { inc: (): void => undefined };

/** There are no metrics of an isolate that somebody could read. */
const UNCOUNTED = { entries: ignore, invalid: ignore, refused: ignore, dropped: ignore };

function rejectUnavailable(route: Route): Route {
  const isExplanation = route.path.endsWith("/explain");
  return isExplanation ? refuse(route, explanationsNotAvailable) : withoutStreams(route);
}

function explanationsNotAvailable(): HttpError {
  return notEnabled("Explaining", "use a proxy that runs as a server");
}
