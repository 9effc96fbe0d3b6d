import type { TypedApp } from "flags-server-kit/http";
import type { RouteOptions } from "../protocol.ts";
import type { DefinitionsServices } from "./definitions.ts";
import { registerDelta, registerStreaming } from "./delta.ts";
import { registerFeature, registerFeatures } from "./features.ts";
import { registerServerUsage } from "./server-usage.ts";

/** The dependencies of the routes for server SDKs. */
interface ServerSdkOptions extends Pick<RouteOptions, "usageRules" | "allow"> {
  readonly definitions: DefinitionsServices;
  /** Value of `Vary`. */
  readonly vary: string;
}

/** Registers the routes that send definitions: all, one flag, deltas and streams. */
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

/** Registers the API of the upstream for server SDKs and other proxies. */
export function registerServerSdkRoutes(app: TypedApp, options: ServerSdkOptions): void {
  const { usageRules, allow } = options;
  registerDefinitions(app, options);
  registerServerUsage(app, { authenticate: allow("server"), ...usageRules });
}
