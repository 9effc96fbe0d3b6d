import { inAnyHeader, inHeader, type KeyExtractor } from "../access/key-extractor.ts";
import { createCallerAddress } from "../evaluation/caller-address.ts";
import type { CorsConfig, ProxyConfig } from "../config/config.ts";
import { frontendProtocol } from "./frontend/protocol.ts";
import { createOfrepProtocol } from "./ofrep/protocol.ts";
import { proxyProtocol } from "./proxy/protocol.ts";
import type { Protocol } from "../response/protocol.ts";
import { createRenderer } from "../response/rendering.ts";
import type { EvaluationRules } from "./evaluate.ts";

/** How each protocol evaluates. */
export interface ProtocolRules {
  readonly proxy: EvaluationRules;
  readonly frontend: EvaluationRules;
  readonly ofrep: EvaluationRules;
}

interface Manner {
  readonly protocol: Protocol;
  readonly keyExtractor: KeyExtractor;
  readonly cacheControl: string;
  readonly ignoresInvalidTime?: boolean;
}

/** How each protocol evaluates, as the configuration has it. */
export function createProtocolRules(config: ProxyConfig): ProtocolRules {
  const { appName, environment, contextEnrichers: enrichers } = config;
  const callerAddress = createCallerAddress(config.trustProxy);
  const rulesOf = ({
    protocol,
    keyExtractor,
    cacheControl,
    ignoresInvalidTime = false,
  }: Manner): EvaluationRules => ({
    contextRules: {
      defaults: { appName, environment, ignoresInvalidTime },
      callerAddress,
      enrichers,
    },
    protocol,
    ...createRenderer(protocol),
    keyExtractor,
    vary: varyOn(keyExtractor, config.cors),
    cacheControl,
  });
  const keyExtractor = inHeader(config.clientKeysHeaderName);
  return {
    proxy: rulesOf({ protocol: proxyProtocol, keyExtractor, cacheControl: "public, max-age=2" }),
    // As in the upstream: caches revalidate a response each time, and an invalid time is ignored.
    frontend: rulesOf({
      protocol: frontendProtocol,
      keyExtractor,
      cacheControl: "no-cache",
      ignoresInvalidTime: true,
    }),
    ofrep: rulesOf({
      protocol: createOfrepProtocol(config.ofrepValues),
      keyExtractor: inAnyHeader(["authorization", "x-api-key", config.clientKeysHeaderName]),
      cacheControl: "no-cache",
    }),
  };
}

/** The request headers that a response depends on, written as the plugins would add them. */
function varyOn({ headers }: KeyExtractor, { origin }: CorsConfig): string {
  const varies = origin !== "*" && origin !== false;
  return [...headers, ...(varies ? ["origin"] : []), "accept-encoding"].join(", ");
}
