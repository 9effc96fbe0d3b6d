import type { FastifyInstance } from "fastify";
import { authenticate } from "../auth/authenticate.ts";
import type { KeyKind, KeyRing } from "../auth/key-ring.ts";
import type { ProxyConfig } from "../config/config.ts";
import { acceptJsonOnly } from "../http/json-body.ts";
import { validatorCompiler } from "../http/validation.ts";
import type { Metrics } from "../metrics/metrics.ts";
import type { TypedApp } from "./app.ts";
import { registerDefinitions } from "./definitions.ts";
import { registerEvaluation } from "./evaluation.ts";
import { registerHealth } from "./health.ts";
import { registerPrometheus } from "./prometheus.ts";
import { registerUsage } from "./usage.ts";

interface RouteOptions {
  readonly config: ProxyConfig;
  readonly ring: KeyRing;
  readonly metrics: Metrics;
}

/** Everything under `/proxy`. */
export function registerRoutes(
  scope: FastifyInstance,
  { config, ring, metrics }: RouteOptions,
): void {
  const app: TypedApp = scope.withTypeProvider();
  app.setValidatorCompiler(validatorCompiler);
  // The schemas of answers are documentation: answers are written by hand, and tested against them.
  app.setSerializerCompiler(() => JSON.stringify);
  acceptJsonOnly(app);

  const headerName = config.clientKeysHeaderName.toLowerCase();
  const allow = (...kinds: readonly KeyKind[]) => authenticate({ ring, headerName }, kinds);
  const vary = varyOn(headerName, config);

  registerEvaluation(app, {
    authenticate: allow("client"),
    contextRules: {
      defaults: { appName: config.appName, environment: config.environment },
      enrichers: config.contextEnrichers,
    },
    allEndpointEnabled: config.allEndpointEnabled,
    vary,
  });
  registerUsage(app, { authenticate: allow("client", "server"), entries: metrics.usageEntries });
  registerDefinitions(app, { authenticate: allow("server"), vary });
  registerHealth(app);
  registerPrometheus(app, metrics.registry);
}

/** The request headers that an answer depends on. */
function varyOn(keyHeaderName: string, { cors }: ProxyConfig): string {
  const origin = cors.origin === "*" ? [] : ["Origin"];
  return [keyHeaderName, ...origin, "Accept-Encoding"].join(", ");
}
