import { inAnyHeader, inHeader, type KeyPlace } from "../auth/key-place.ts";
import { createCallerAddress } from "../context/caller-address.ts";
import type { CorsConfig, ProxyConfig } from "../config/config.ts";
import { frontendDialect } from "../dialects/frontend.ts";
import { createOfrepDialect } from "../dialects/ofrep.ts";
import { proxyDialect } from "../dialects/proxy.ts";
import type { Dialect } from "../render/dialect.ts";
import { createRenderer } from "../render/rendering.ts";
import type { EvaluationRules } from "./evaluate.ts";

/** How each dialect evaluates. */
export interface DialectRules {
  readonly proxy: EvaluationRules;
  readonly frontend: EvaluationRules;
  readonly ofrep: EvaluationRules;
}

interface Manner {
  readonly dialect: Dialect;
  readonly keyPlace: KeyPlace;
  readonly cacheControl: string;
}

/** How each dialect evaluates, as the configuration has it. */
export function createDialectRules(config: ProxyConfig): DialectRules {
  const contextRules = {
    defaults: { appName: config.appName, environment: config.environment },
    callerAddress: createCallerAddress(config.trustProxy),
    enrichers: config.contextEnrichers,
  };
  const rulesOf = ({ dialect, keyPlace, cacheControl }: Manner): EvaluationRules => ({
    contextRules,
    dialect,
    ...createRenderer(dialect),
    keyPlace,
    vary: varyOn(keyPlace, config.cors),
    cacheControl,
  });
  const keyPlace = inHeader(config.clientKeysHeaderName);
  return {
    proxy: rulesOf({ dialect: proxyDialect, keyPlace, cacheControl: "public, max-age=2" }),
    // As in the upstream: caches may keep an answer, and ask each time whether it still holds.
    frontend: rulesOf({ dialect: frontendDialect, keyPlace, cacheControl: "no-cache" }),
    ofrep: rulesOf({
      dialect: createOfrepDialect(config.ofrepValues),
      keyPlace: inAnyHeader(["authorization", "x-api-key", config.clientKeysHeaderName]),
      cacheControl: "no-cache",
    }),
  };
}

/** The request headers that a response depends on, written as the plugins would add them. */
function varyOn({ headers }: KeyPlace, { origin }: CorsConfig): string {
  const varies = origin !== "*" && origin !== false;
  return [...headers, ...(varies ? ["origin"] : []), "accept-encoding"].join(", ");
}
