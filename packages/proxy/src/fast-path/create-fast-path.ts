import type { ObserveRequest } from "flags-service/http";
import type { KeyRing } from "../auth/key-ring.ts";
import type { ProxyConfig } from "../config/config.ts";
import { createCorsHeaders } from "../cors/cors-headers.ts";
import type { EvaluationRules } from "../routes/evaluate.ts";
import { FastPath } from "./fast-path.ts";

interface Surroundings {
  readonly ring: KeyRing;
  readonly rules: EvaluationRules;
  readonly observe: ObserveRequest;
}

/** The fast path of an app. */
export function createFastPath(config: ProxyConfig, surroundings: Surroundings): FastPath {
  return new FastPath({
    ...surroundings,
    path: `${config.basePath}/proxy`,
    keyHeaderName: config.clientKeysHeaderName.toLowerCase(),
    corsHeaders: createCorsHeaders(config.cors),
  });
}
