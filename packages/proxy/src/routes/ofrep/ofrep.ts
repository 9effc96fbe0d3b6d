import type { TypedApp } from "flags-service/http";
import type { DialectOptions } from "../dialect-options.ts";
import { registerAllFlags } from "./all-flags.ts";
import { registerSingleFlag } from "./single-flag.ts";

/** OFREP, the protocol of OpenFeature: all flags in one answer, or a single one. */
export function registerOfrepRoutes(app: TypedApp, { config, rules, allow }: DialectOptions): void {
  const authenticate = allow("client");
  registerAllFlags(app, { authenticate, rules, showsDisabled: config.allEndpointEnabled });
  registerSingleFlag(app, { authenticate, rules, values: config.ofrepValues });
}
