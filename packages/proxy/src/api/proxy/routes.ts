import type { TypedApp } from "flags-server-kit/http";
import { registerDefinitions } from "../server-sdk/routes.ts";
import { registerFlagRoutes } from "../flag-routes.ts";
import type { RouteOptions } from "../protocol.ts";
import { registerExplanations } from "./explain.ts";
import { PROXY_BODY, STREAM_BODY, ToggleList } from "./schemas.ts";
import { registerStreams } from "../streams.ts";
import { registerUsage } from "../usage.ts";

/** Registers everything under `/proxy` apart from monitoring. */
export function registerProxyRoutes(app: TypedApp, options: RouteOptions): void {
  const { config, usageRules, protocol, allow, access, definitions, clientStreams } = options;
  registerFlagRoutes(app, {
    authenticate: allow("client"),
    protocol,
    body: PROXY_BODY,
    responseSchema: ToggleList,
    tag: "Evaluation",
    enableAllEndpoint: config.enableAllEndpoint,
  });
  registerExplanations(app, {
    authenticate: allow("client", "server"),
    contextRules: protocol.contextRules,
    isEnabled: config.explainEnabled,
  });
  registerUsage(app, {
    authenticate: allow("client", "server"),
    ...usageRules,
  });
  registerDefinitions(app, { allow, vary: protocol.policy.vary, definitions });
  registerStreams(app, {
    config,
    allow,
    protocol,
    access,
    clientStreams,
    body: STREAM_BODY,
  });
}
