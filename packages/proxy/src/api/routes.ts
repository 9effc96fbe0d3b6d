import type { FastifyContextConfig, FastifyInstance } from "fastify";
import { shareStreams } from "flags-server-kit";
import { configureRoutes, onStopping, type TypedApp } from "flags-server-kit/http";
import type { AccessControl } from "../access/access-control.ts";
import { authenticate } from "./authenticate.ts";
import type { KeyExtractor } from "../access/key-extractor.ts";
import type { KeyKind } from "../access/grant.ts";
import { MAX_SDK_STREAMS, type ProxyConfig } from "../config/config.ts";
import { acceptJsonOnly } from "../http/json-body.ts";
import { serializerCompiler } from "../http/server-options.ts";
import { validatorCompiler } from "../http/validation.ts";
import type { Metrics } from "../metrics/metrics.ts";
import type { Source } from "../sources.ts";
import { createClientStreams } from "../streaming/create-streams.ts";
import type { EventFormat } from "../streaming/flag-events.ts";
import type { FlagUsage } from "../usage/flag-usage.ts";
import { createDefinitions } from "./server-sdk/definitions.ts";
import { registerDefinitions, registerServerSdkRoutes } from "./server-sdk/routes.ts";
import { registerBackstage } from "./operations/backstage.ts";
import { registerTokenValidation } from "./server-sdk/token-validation.ts";
import { registerMonitoring, registerProbes } from "./operations/monitoring.ts";
import { registerStatus } from "./operations/status.ts";
import { configuredHeader, type Protocol, type RouteOptions, varyOn } from "./protocol.ts";

/** Routes for client keys, which pages of any site may call. SDKs are careless with slashes. */
const FOR_CLIENTS = { hasCors: true, checksHost: false, pathForm: "lenient" } as const;

/** Routes for server tokens. */
const FOR_SERVERS = { hasCors: false, checksHost: false, pathForm: "lenient" } as const;

/** Routes for operators. Probes, and routes that require a token, accept any `Host` (`ANY_HOST`). */
const FOR_OPERATORS = { hasCors: false, checksHost: true, pathForm: "exact" } as const;

interface RoutesOptions {
  readonly config: ProxyConfig;
  readonly access: AccessControl;
  readonly sources: readonly Source[];
  readonly metrics: Metrics;
  /** Counts the usage of each flag. Undefined: it is not counted. */
  readonly flagUsage: FlagUsage | undefined;
  readonly protocols: readonly Protocol[];
  /** Memory in bytes for each cache. @default chosen by each cache */
  readonly cacheBytes: number | undefined;
  /** Whether metrics and operations are omitted, because another port serves them. */
  readonly omitsManagement: boolean;
}

/** Registers everything under the base path: each client protocol, and the API for server SDKs. */
export async function registerRoutes(app: FastifyInstance, options: RoutesOptions): Promise<void> {
  const { config, access, sources, metrics, flagUsage, protocols, cacheBytes, omitsManagement } =
    options;
  const { keys } = access;
  const flagSources = sources.map(({ flags }) => flags);
  const { maxConnections, push } = config;
  const [forClients, forSdks] = shareStreams(maxConnections, push.maxStreams, MAX_SDK_STREAMS);
  const definitions = createDefinitions(flagSources, {
    registry: metrics.registry,
    maxStreams: forSdks,
  });
  const clientStreams = createClientStreams(config, {
    flagSources,
    formats: createEventFormats(protocols),
    registry: metrics.registry,
    maxStreams: forClients,
    keys,
    cacheBytes,
  });
  access.onChange(() => {
    definitions.streams.endUnless((grant) => keys.isCurrent(grant));
    clientStreams.streams.endUnless((grant) => keys.isCurrent(grant));
  });
  // NOTE: before the server waits for open connections, which streams would keep open.
  app.addHook("preClose", async () => {
    definitions.streams.close();
    clientStreams.streams.close();
  });

  const allowWith = (keyExtractor: KeyExtractor): RouteOptions["allow"] => {
    return (...kinds: readonly KeyKind[]) =>
      authenticate({ access, extractor: keyExtractor }, kinds);
  };
  const { basePath, metricsIntervalMs } = config;
  const usageRules = { metrics: metrics.usage, flagUsage, metricsIntervalMs };
  for (const protocol of protocols) {
    const allow = allowWith(protocol.keyExtractor);
    for (const path of protocol.definition.paths) {
      // oxlint-disable-next-line no-await-in-loop -- the framework registers one after the other
      await registerAt(app, basePath + path, FOR_CLIENTS, (scope) =>
        protocol.definition.register(scope, {
          config,
          usageRules,
          access,
          clientStreams,
          protocol,
          allow,
        }),
      );
    }
  }
  const keyExtractor = configuredHeader(config);
  await registerOperations(app, {
    config,
    sources,
    metrics,
    access,
    omitsManagement,
    isPrivate: false,
  });
  await registerAt(app, `${basePath}/edge`, FOR_SERVERS, (scope) =>
    registerTokenValidation(scope, access),
  );
  const forServers = { definitions, allow: allowWith(keyExtractor), vary: varyOn(keyExtractor) };
  await registerAt(app, `${basePath}/proxy`, FOR_SERVERS, (scope) =>
    registerDefinitions(scope, forServers),
  );
  await registerAt(app, `${basePath}/api`, FOR_SERVERS, (scope) =>
    registerServerSdkRoutes(scope, { usageRules, ...forServers }),
  );
}

/** Streams use the protocol of their kind of event. */
function createEventFormats(protocols: readonly Protocol[]): ReadonlyMap<string, EventFormat> {
  return new Map(
    protocols.flatMap(({ render, definition: { streamEvents } }) =>
      streamEvents === undefined ? [] : [[streamEvents.kind, { ...streamEvents, render }] as const],
    ),
  );
}

interface OperationsOptions extends Pick<
  RoutesOptions,
  "config" | "access" | "sources" | "metrics" | "omitsManagement"
> {
  /** Whether only operators can reach the port. Then `GET /status` requires no token, and shows everything. */
  readonly isPrivate: boolean;
}

/** Registers what operators use: probes, and unless another port serves them, metrics and the state. */
export async function registerOperations(
  app: FastifyInstance,
  { config, access, sources, metrics, omitsManagement, isPrivate }: OperationsOptions,
): Promise<void> {
  const { basePath, maxStalenessMs } = config;
  let isStopping = false;
  onStopping(app.server, () => (isStopping = true));
  const readiness = { sources, maxStalenessMs, isStopping: () => isStopping };
  await registerAt(app, basePath, FOR_OPERATORS, (scope) => registerProbes(scope, readiness));
  await registerAt(app, `${basePath}/proxy`, FOR_OPERATORS, (scope) =>
    registerMonitoring(scope, omitsManagement ? undefined : metrics),
  );
  if (omitsManagement) return;
  const server = authenticate({ access, extractor: configuredHeader(config) }, ["server"]);
  await registerAt(app, basePath, FOR_OPERATORS, (scope) =>
    registerStatus(scope, {
      config,
      sources,
      readiness,
      access,
      ...(!isPrivate && { authenticate: server }),
    }),
  );
  await registerAt(app, `${basePath}/internal-backstage`, FOR_OPERATORS, (scope) =>
    registerBackstage(scope, { readiness, metrics, access, authenticate: server }),
  );
}

/** Registers routes under a path, with our validation. They accept only JSON. */
async function registerAt(
  app: FastifyInstance,
  prefix: string,
  config: Required<Pick<FastifyContextConfig, "checksHost" | "hasCors" | "pathForm">>,
  register: (app: TypedApp) => void,
): Promise<void> {
  const plugin = async (scope: FastifyInstance): Promise<void> => {
    configureRoutes(scope, config);
    register(configureScope(scope));
  };
  // Without a name, the framework searches all loaded modules for one.
  await app.register(Object.assign(plugin, { [Symbol.for("fastify.display-name")]: prefix }), {
    prefix,
  });
}

function configureScope(scope: FastifyInstance): TypedApp {
  const app: TypedApp = scope.withTypeProvider();
  app.setValidatorCompiler(validatorCompiler);
  app.setSerializerCompiler(serializerCompiler);
  acceptJsonOnly(app);
  return app;
}
