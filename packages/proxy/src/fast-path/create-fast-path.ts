import type { ObserveRequest } from "flags-service/http";
import type { KeyRing } from "../auth/key-ring.ts";
import type { ProxyConfig } from "../config/config.ts";
import { createCorsHeaders } from "../cors/cors-headers.ts";
import { FRONTEND_PATHS } from "../dialects/frontend.ts";
import type { EvaluationRules } from "../routes/evaluate.ts";
import type { DialectRules } from "../routes/evaluation-rules.ts";
import { AnswerCache } from "./answer-cache.ts";
import { AnswerSender } from "./answer-sender.ts";
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
  const keyHeaderName = config.clientKeysHeaderName.toLowerCase();
  const corsHeaders = createCorsHeaders(config.cors);
  // NOTE: questions begin with their path, so one place for all keeps them apart.
  const answers = new AnswerCache();
  const at = (path: string, of: EvaluationRules): FastPath =>
    new FastPath({
      path: config.basePath + path,
      keyHeaderName,
      ring,
      rules: of,
      sender: new AnswerSender({ corsHeaders, cacheControl: of.cacheControl, vary: of.vary }),
      observe,
      answers,
    });
  return [at("/proxy", rules.proxy), ...FRONTEND_PATHS.map((path) => at(path, rules.frontend))];
}
