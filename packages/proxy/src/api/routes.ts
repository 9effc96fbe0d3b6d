import type { FastifyInstance } from "fastify";
import type { TypedApp } from "flags-server-kit/http";
import { authenticate } from "../access/authenticate.ts";
import type { KeyKind, KeyRegistry } from "../access/key-registry.ts";
import type { ProxyConfig } from "../config/config.ts";
import { FRONTEND_PATHS } from "./frontend/protocol.ts";
import { createDefinitions } from "./client/definitions.ts";
import { acceptJsonOnly } from "../http/json-body.ts";
import { serializerCompiler } from "../http/serialization.ts";
import { validatorCompiler } from "../http/validation.ts";
import type { Metrics } from "../metrics/metrics.ts";
import { createClientStreams } from "../streaming/create-streams.ts";
import type { ProtocolOptions } from "./protocol-options.ts";
import type { EvaluationRules } from "./evaluate.ts";
import type { ProtocolRules } from "./evaluation-rules.ts";
import { registerFrontendRoutes } from "./frontend/routes.ts";
import { registerOfrepRoutes } from "./ofrep/routes.ts";
import { registerProxyRoutes } from "./proxy/routes.ts";
import { registerStreams } from "./proxy/stream.ts";
import { registerServerSdkRoutes } from "./client/routes.ts";

interface RouteOptions {
  readonly config: ProxyConfig;
  readonly ring: KeyRegistry;
  readonly metrics: Metrics;
  readonly rules: ProtocolRules;
  readonly cacheBytes: number | undefined;
}

/** Everything under the base path, protocol by protocol. */
export async function registerRoutes(
  app: FastifyInstance,
  { config, ring, metrics, rules, cacheBytes }: RouteOptions,
): Promise<void> {
  const at = async (path: string, of: EvaluationRules, register: RegisterProtocol) => {
    const allow = (...kinds: readonly KeyKind[]) =>
      authenticate({ ring, place: of.keyExtractor }, kinds);
    await app.register(
      async (scope) => register(prepare(scope), { config, metrics, rules: of, allow }),
      { prefix: config.basePath + path },
    );
  };
  const definitions = createDefinitions(ring.sources, metrics.registry);
  // NOTE: before the server waits for open connections, which streams would keep it from ending.
  app.addHook("preClose", async () => definitions.streams.close());
  await at("/proxy", rules.proxy, (scope, options) =>
    registerProxyRoutes(scope, { ...options, definitions }),
  );
  await at("/api", rules.proxy, (scope, options) =>
    registerServerSdkRoutes(scope, { ...options, definitions }),
  );
  const clientStreams = createClientStreams(config, {
    keys: ring,
    renderers: {
      toggles: rules.proxy.render,
      frontend: rules.frontend.render,
      refetch: rules.ofrep.render,
    },
    registry: metrics.registry,
    cacheBytes,
  });
  app.addHook("preClose", async () => clientStreams.streams.close());
  await at("/proxy", rules.proxy, (scope, options) =>
    registerStreams(scope, { ...options, keys: ring, clientStreams, kind: "toggles" }),
  );
  for (const path of FRONTEND_PATHS) {
    // oxlint-disable-next-line no-await-in-loop -- the framework takes one after the other anyway
    await at(path, rules.frontend, (scope, options) => {
      registerFrontendRoutes(scope, options);
      registerStreams(scope, { ...options, keys: ring, clientStreams, kind: "frontend" });
    });
  }
  await at("/ofrep/v1", rules.ofrep, (scope, options) =>
    registerOfrepRoutes(scope, { ...options, tokens: clientStreams.tokens }),
  );
}

type RegisterProtocol = (app: TypedApp, options: ProtocolOptions) => void;

function prepare(scope: FastifyInstance): TypedApp {
  const app: TypedApp = scope.withTypeProvider();
  app.setValidatorCompiler(validatorCompiler);
  app.setSerializerCompiler(serializerCompiler);
  acceptJsonOnly(app);
  return app;
}
