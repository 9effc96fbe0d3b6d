import type { TypedApp } from "flags-server-kit/http";
import type { StreamTokens } from "../../streaming/stream-tokens.ts";
import type { ProtocolOptions } from "../protocol-options.ts";
import { registerAllFlags } from "./all-flags.ts";
import { registerSingleFlag } from "./single-flag.ts";

interface OfrepOptions extends ProtocolOptions {
  readonly tokens: StreamTokens;
}

/** OFREP, the protocol of OpenFeature: all flags in one answer, or a single one. */
export function registerOfrepRoutes(
  app: TypedApp,
  { config, rules, allow, tokens }: OfrepOptions,
): void {
  const authenticate = allow("client");
  const hasStreams = config.ofrepEventStreams && config.push.maxStreams > 0;
  registerAllFlags(app, {
    authenticate,
    rules,
    showsDisabled: config.allEndpointEnabled,
    streams: hasStreams ? { tokens, path: `${config.basePath}/proxy/stream` } : undefined,
  });
  registerSingleFlag(app, { authenticate, rules, values: config.ofrepValues });
}
