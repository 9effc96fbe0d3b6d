import type { TypedApp } from "flags-server-kit/http";
import { registerDelta } from "./delta.ts";
import { registerFeature, registerFeatures } from "./features.ts";
import type { ServerSdkOptions } from "./server-sdk-options.ts";
import { registerServerUsage } from "./server-usage.ts";
import { registerStreaming } from "./streaming.ts";

/** Everything that hands out definitions: whole, one by one, as changes, and as they happen. */
export function registerDefinitions(
  app: TypedApp,
  { allow, vary, definitions }: Pick<ServerSdkOptions, "allow" | "vary" | "definitions">,
): void {
  const options = { ...definitions, authenticate: allow("server"), vary };
  registerFeatures(app, options);
  registerFeature(app, options);
  registerDelta(app, options);
  registerStreaming(app, options);
}

/** The API of the upstream for server SDKs and other proxies. */
export function registerServerSdkRoutes(app: TypedApp, options: ServerSdkOptions): void {
  const { config, metrics, allow } = options;
  registerDefinitions(app, options);
  registerServerUsage(app, {
    authenticate: allow("server"),
    metrics,
    metricsIntervalMs: config.metricsIntervalMs,
  });
}
