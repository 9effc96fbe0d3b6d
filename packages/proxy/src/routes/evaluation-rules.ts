import { createCallerAddress } from "../context/caller-address.ts";
import type { ProxyConfig } from "../config/config.ts";
import { frontendDialect } from "../dialects/frontend.ts";
import { proxyDialect } from "../dialects/proxy.ts";
import type { Dialect } from "../render/dialect.ts";
import { createRenderer } from "../render/rendering.ts";
import type { EvaluationRules } from "./evaluate.ts";

/** How each dialect evaluates. */
export interface DialectRules {
  readonly proxy: EvaluationRules;
  readonly frontend: EvaluationRules;
}

/** How each dialect evaluates, as the configuration has it. */
export function createDialectRules(config: ProxyConfig): DialectRules {
  const contextRules = {
    defaults: { appName: config.appName, environment: config.environment },
    callerAddress: createCallerAddress(config.trustProxy),
    enrichers: config.contextEnrichers,
  };
  const vary = varyOn(config);
  const rulesOf = (dialect: Dialect, cacheControl: string): EvaluationRules => ({
    contextRules,
    dialect,
    render: createRenderer(dialect),
    vary,
    cacheControl,
  });
  return {
    proxy: rulesOf(proxyDialect, "public, max-age=2"),
    // As in the upstream: caches may keep an answer, and ask each time whether it still holds.
    frontend: rulesOf(frontendDialect, "no-cache"),
  };
}

/** The request headers that an answer depends on, written as the plugins would add them. */
function varyOn({ cors, clientKeysHeaderName }: ProxyConfig): string {
  const origin = cors.origin === "*" ? [] : ["origin"];
  return [clientKeysHeaderName.toLowerCase(), ...origin, "accept-encoding"].join(", ");
}
