import type { TypedApp } from "flags-service/http";
import { readContext } from "../context/read-context.ts";
import { createBodyForm } from "./body-form.ts";
import type { DialectOptions } from "./dialect-options.ts";
import { registerEvaluation } from "./evaluation.ts";
import { EvaluationBody, ToggleList } from "./schemas.ts";
import { registerUsage } from "./usage.ts";
import { registerDefinitions } from "./definitions.ts";
import { registerHealth } from "./health.ts";
import { registerPrometheus } from "./prometheus.ts";

/** Everything under `/proxy`. */
export function registerProxyRoutes(
  app: TypedApp,
  { config, metrics, rules, allow }: DialectOptions,
): void {
  registerEvaluation(app, {
    authenticate: allow("client"),
    rules,
    bodyForm: createBodyForm(EvaluationBody, ({ context, toggles }) => ({
      sent: readContext(context),
      toggles,
    })),
    answerSchema: ToggleList,
    tag: "Evaluation",
    allEndpointEnabled: config.allEndpointEnabled,
  });
  registerUsage(app, {
    authenticate: allow("client", "server"),
    metrics,
    metricsIntervalMs: config.metricsIntervalMs,
  });
  registerDefinitions(app, { authenticate: allow("server"), vary: rules.vary });
  registerHealth(app);
  registerPrometheus(app, metrics);
}
