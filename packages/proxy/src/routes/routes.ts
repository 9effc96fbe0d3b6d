import type { FastifyInstance } from "fastify";
import type { TypedApp } from "flags-server-kit/http";
import { authenticate } from "../auth/authenticate.ts";
import type { KeyKind, KeyRing } from "../auth/key-ring.ts";
import type { ProxyConfig } from "../config/config.ts";
import { FRONTEND_PATHS } from "../dialects/frontend.ts";
import { createDefinitionsHub } from "../definitions/definitions-hub.ts";
import { acceptJsonOnly } from "../http/json-body.ts";
import { serializerCompiler } from "../http/serialization.ts";
import { validatorCompiler } from "../http/validation.ts";
import type { Metrics } from "../metrics/metrics.ts";
import { createPush } from "../push/create-push.ts";
import type { DialectOptions } from "./dialect-options.ts";
import type { EvaluationRules } from "./evaluate.ts";
import type { DialectRules } from "./evaluation-rules.ts";
import { registerFrontendRoutes } from "./frontend/frontend.ts";
import { registerOfrepRoutes } from "./ofrep/ofrep.ts";
import { registerProxyRoutes } from "./proxy.ts";
import { registerPush } from "./push.ts";
import { registerServerSdkRoutes } from "./server-sdk/server-sdk.ts";

interface RouteOptions {
  readonly config: ProxyConfig;
  readonly ring: KeyRing;
  readonly metrics: Metrics;
  readonly rules: DialectRules;
  readonly cacheBytes: number | undefined;
}

/** Everything under the base path, dialect by dialect. */
export async function registerRoutes(
  app: FastifyInstance,
  { config, ring, metrics, rules, cacheBytes }: RouteOptions,
): Promise<void> {
  const at = async (path: string, of: EvaluationRules, register: RegisterDialect) => {
    const allow = (...kinds: readonly KeyKind[]) =>
      authenticate({ ring, place: of.keyPlace }, kinds);
    await app.register(
      async (scope) => register(prepare(scope), { config, metrics, rules: of, allow }),
      { prefix: config.basePath + path },
    );
  };
  const definitions = createDefinitionsHub(ring.sources, metrics.registry);
  // NOTE: before the server waits for open connections, which streams would keep it from ending.
  app.addHook("preClose", async () => definitions.streams.close());
  await at("/proxy", rules.proxy, (scope, options) =>
    registerProxyRoutes(scope, { ...options, definitions }),
  );
  await at("/api", rules.proxy, (scope, options) =>
    registerServerSdkRoutes(scope, { ...options, definitions }),
  );
  const push = createPush(config, { ring, rules, registry: metrics.registry, cacheBytes });
  app.addHook("preClose", async () => push.hub.close());
  await at("/proxy", rules.proxy, (scope, options) =>
    registerPush(scope, { ...options, ring, push, kind: "toggles" }),
  );
  for (const path of FRONTEND_PATHS) {
    // oxlint-disable-next-line no-await-in-loop -- the framework takes one after the other anyway
    await at(path, rules.frontend, (scope, options) => {
      registerFrontendRoutes(scope, options);
      registerPush(scope, { ...options, ring, push, kind: "frontend" });
    });
  }
  await at("/ofrep/v1", rules.ofrep, (scope, options) =>
    registerOfrepRoutes(scope, { ...options, tokens: push.tokens }),
  );
}

type RegisterDialect = (app: TypedApp, options: DialectOptions) => void;

function prepare(scope: FastifyInstance): TypedApp {
  const app: TypedApp = scope.withTypeProvider();
  app.setValidatorCompiler(validatorCompiler);
  app.setSerializerCompiler(serializerCompiler);
  acceptJsonOnly(app);
  return app;
}
