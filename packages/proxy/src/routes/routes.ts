import type { FastifyInstance } from "fastify";
import { authenticate } from "../auth/authenticate.ts";
import type { KeyKind, KeyRing } from "../auth/key-ring.ts";
import type { ProxyConfig } from "../config/config.ts";
import { acceptJsonOnly } from "../http/json-body.ts";
import { validatorCompiler } from "../http/validation.ts";
import type { Metrics } from "../metrics/metrics.ts";
import type { TypedApp } from "flags-service/http";
import { registerDefinitions } from "./definitions.ts";
import { registerEvaluation, type EvaluationRules } from "./evaluation.ts";
import { registerHealth } from "./health.ts";
import { registerPrometheus } from "./prometheus.ts";
import { registerUsage } from "./usage.ts";

interface RouteOptions {
  readonly config: ProxyConfig;
  readonly ring: KeyRing;
  readonly metrics: Metrics;
  readonly rules: EvaluationRules;
}

/** Everything under `/proxy`. */
export function registerRoutes(
  scope: FastifyInstance,
  { config, ring, metrics, rules }: RouteOptions,
): void {
  const app: TypedApp = scope.withTypeProvider();
  app.setValidatorCompiler(validatorCompiler);
  // The schemas of answers are documentation: answers are written by hand, and tested against them.
  app.setSerializerCompiler(() => JSON.stringify);
  acceptJsonOnly(app);

  const headerName = config.clientKeysHeaderName.toLowerCase();
  const allow = (...kinds: readonly KeyKind[]) => authenticate({ ring, headerName }, kinds);

  registerEvaluation(app, {
    authenticate: allow("client"),
    rules,
    allEndpointEnabled: config.allEndpointEnabled,
  });
  registerUsage(app, {
    authenticate: allow("client", "server"),
    metrics,
    metricsIntervalMs: config.metricsIntervalMs,
  });
  registerDefinitions(app, { authenticate: allow("server"), vary: rules.vary });
  registerHealth(app);
  registerPrometheus(app, metrics.registry);
}
