import type { FastifyInstance } from "fastify";
import type { TypedApp } from "flags-service/http";
import { authenticate } from "../auth/authenticate.ts";
import type { KeyKind, KeyRing } from "../auth/key-ring.ts";
import type { ProxyConfig } from "../config/config.ts";
import { acceptJsonOnly } from "../http/json-body.ts";
import { validatorCompiler } from "../http/validation.ts";
import type { Metrics } from "../metrics/metrics.ts";
import type { DialectRules } from "./evaluation-rules.ts";
import { registerFrontendRoutes } from "./frontend/frontend.ts";
import { registerProxyRoutes } from "./proxy.ts";

/** Paths at which the frontend API is found: its own, and the former one. */
const FRONTEND_PATHS = ["/api/frontend", "/api/proxy"] as const;

interface RouteOptions {
  readonly config: ProxyConfig;
  readonly ring: KeyRing;
  readonly metrics: Metrics;
  readonly rules: DialectRules;
}

/** Everything under the base path, dialect by dialect. */
export async function registerRoutes(
  app: FastifyInstance,
  { config, ring, metrics, rules }: RouteOptions,
): Promise<void> {
  const headerName = config.clientKeysHeaderName.toLowerCase();
  const allow = (...kinds: readonly KeyKind[]) => authenticate({ ring, headerName }, kinds);
  const shared = { config, metrics, allow };

  const at = (path: string, routes: (scope: TypedApp) => void) =>
    app.register(async (scope) => routes(prepare(scope)), { prefix: config.basePath + path });

  await at("/proxy", (scope) => registerProxyRoutes(scope, { ...shared, rules: rules.proxy }));
  for (const path of FRONTEND_PATHS) {
    // oxlint-disable-next-line no-await-in-loop -- the framework takes one after the other anyway
    await at(path, (scope) => registerFrontendRoutes(scope, { ...shared, rules: rules.frontend }));
  }
}

function prepare(scope: FastifyInstance): TypedApp {
  const app: TypedApp = scope.withTypeProvider();
  app.setValidatorCompiler(validatorCompiler);
  // The schemas of answers are documentation: answers are written by hand, and tested against them.
  app.setSerializerCompiler(() => JSON.stringify);
  acceptJsonOnly(app);
  return app;
}
