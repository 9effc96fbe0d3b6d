import type { TypedApp } from "flags-server-kit/http";
import type { ProtocolOptions } from "../protocol-options.ts";
import { allowNoBody } from "../../http/json-body.ts";
import { registerEvaluation } from "../evaluation.ts";
import { registerUsage } from "../proxy/usage.ts";
import { frontendBodyForm } from "./body.ts";
import { FrontendToggleList } from "./schemas.ts";
import { registerSingleToggle } from "./single-toggle.ts";

/** The frontend API, as the upstream and Edge serve it to client SDKs. */
export function registerFrontendRoutes(
  app: TypedApp,
  { config, metrics, rules, allow }: ProtocolOptions,
): void {
  const authenticate = allow("client");
  app.addHook("preValidation", allowNoBody);
  registerEvaluation(app, {
    authenticate,
    rules,
    bodyForm: frontendBodyForm,
    responseSchema: FrontendToggleList,
    tag: "Frontend API",
    allEndpointEnabled: config.allEndpointEnabled,
  });
  registerSingleToggle(app, { authenticate, rules });
  const usage = {
    authenticate: allow("client", "server"),
    metrics,
    metricsIntervalMs: config.metricsIntervalMs,
  };
  registerUsage(app, usage);
  // Clients report under the address they ask, which may be the one of all toggles.
  registerUsage(app, { ...usage, path: "/all" });
}
