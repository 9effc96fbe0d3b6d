import { createCallerAddress } from "../context/caller-address.ts";
import type { ProxyConfig } from "../config/config.ts";
import { proxyDialect } from "../dialects/proxy.ts";
import { createRenderer } from "../render/rendering.ts";
import type { EvaluationRules } from "./evaluation.ts";

/** How `/proxy` evaluates, as the configuration has it. */
export function createEvaluationRules(config: ProxyConfig): EvaluationRules {
  return {
    contextRules: {
      defaults: { appName: config.appName, environment: config.environment },
      callerAddress: createCallerAddress(config.trustProxy),
      enrichers: config.contextEnrichers,
    },
    render: createRenderer(proxyDialect),
    vary: varyOn(config),
  };
}

/** The request headers that an answer depends on, written as the plugins would add them. */
function varyOn({ cors, clientKeysHeaderName }: ProxyConfig): string {
  const origin = cors.origin === "*" ? [] : ["origin"];
  return [clientKeysHeaderName.toLowerCase(), ...origin, "accept-encoding"].join(", ");
}
