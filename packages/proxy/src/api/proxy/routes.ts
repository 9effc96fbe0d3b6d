import type { TypedApp } from "flags-server-kit/http";
import { registerEvaluation } from "../evaluation.ts";
import { proxyBodyForm } from "./body.ts";
import { ToggleList } from "../schemas.ts";
import { registerUsage } from "./usage.ts";
import { registerDefinitions, type ServerSdkOptions } from "../client/routes.ts";
import { registerHealth } from "../health.ts";
import { registerPrometheus } from "../prometheus.ts";

/** Everything under `/proxy`. */
export function registerProxyRoutes(
  app: TypedApp,
  { config, metrics, rules, allow, definitions }: ServerSdkOptions,
): void {
  registerEvaluation(app, {
    authenticate: allow("client"),
    rules,
    bodyForm: proxyBodyForm,
    responseSchema: ToggleList,
    tag: "Evaluation",
    allEndpointEnabled: config.allEndpointEnabled,
  });
  const usage = {
    authenticate: allow("client", "server"),
    metrics,
    metricsIntervalMs: config.metricsIntervalMs,
  };
  registerUsage(app, usage);
  // Clients post below the URL they fetch from, which may be that of `/all`, enabled or not.
  registerUsage(app, { ...usage, path: "/all" });
  registerDefinitions(app, { allow, rules, definitions });
  registerHealth(app);
  registerPrometheus(app, metrics);
}
