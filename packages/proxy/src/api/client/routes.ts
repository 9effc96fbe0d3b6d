import type { TypedApp } from "flags-server-kit/http";
import type { ProtocolOptions } from "../protocol-options.ts";
import type { Definitions } from "./definitions.ts";
import { registerDelta, registerStreaming } from "./delta.ts";
import { registerFeature, registerFeatures } from "./features.ts";
import { registerServerUsage } from "./server-usage.ts";

/** What the routes of a protocol with definitions require. */
export interface ServerSdkOptions extends ProtocolOptions {
  readonly definitions: Definitions;
}

/** Registers the routes that send definitions: all, one flag, deltas and streams. */
export function registerDefinitions(
  app: TypedApp,
  { allow, rules, definitions }: Pick<ServerSdkOptions, "allow" | "rules" | "definitions">,
): void {
  const options = { ...definitions, authenticate: allow("server"), vary: rules.vary };
  registerFeatures(app, options);
  registerFeature(app, options);
  registerDelta(app, options);
  registerStreaming(app, options);
}

/** Registers the API of the upstream for server SDKs and other proxies. */
export function registerServerSdkRoutes(app: TypedApp, options: ServerSdkOptions): void {
  const { config, metrics, allow } = options;
  registerDefinitions(app, options);
  registerServerUsage(app, {
    authenticate: allow("server"),
    metrics,
    metricsIntervalMs: config.metricsIntervalMs,
  });
}
