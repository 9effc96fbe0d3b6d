import type { ObserveRequest } from "flags-service/http";
import type { KeyRing } from "../auth/key-ring.ts";
import type { ProxyConfig } from "../config/config.ts";
import { createCorsHeaders } from "../cors/cors-headers.ts";
import { FRONTEND_PATHS } from "../dialects/frontend.ts";
import type { DialectRules } from "../routes/evaluation-rules.ts";
import { AnswerCache } from "./answer-cache.ts";
import { FastPath } from "./fast-path.ts";

interface Surroundings {
  readonly ring: KeyRing;
  readonly rules: DialectRules;
  readonly observe: ObserveRequest;
}

/** The fast paths of an app, the most common one first. */
export function createFastPaths(
  config: ProxyConfig,
  { ring, rules, observe }: Surroundings,
): readonly FastPath[] {
  const shared = {
    ring,
    observe,
    keyHeaderName: config.clientKeysHeaderName.toLowerCase(),
    corsHeaders: createCorsHeaders(config.cors),
    // NOTE: questions begin with their path, so one place for all keeps them apart.
    answers: new AnswerCache(),
  };
  return [
    new FastPath({ ...shared, path: `${config.basePath}/proxy`, rules: rules.proxy }),
    ...FRONTEND_PATHS.map(
      (path) => new FastPath({ ...shared, path: config.basePath + path, rules: rules.frontend }),
    ),
  ];
}
