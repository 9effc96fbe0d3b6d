import type { ObserveRequest } from "flags-service/http";
import type { KeyRing } from "../auth/key-ring.ts";
import type { ProxyConfig } from "../config/config.ts";
import { createCorsHeaders } from "../cors/cors-headers.ts";
import { FRONTEND_PATHS } from "../dialects/frontend.ts";
import type { Shortcut } from "../http/server-options.ts";
import type { BodyForm } from "../routes/body-form.ts";
import type { EvaluationRules } from "../routes/evaluate.ts";
import type { DialectRules } from "../routes/evaluation-rules.ts";
import { frontendBodyForm } from "../routes/frontend/frontend-body.ts";
import { proxyBodyForm } from "../routes/proxy-body.ts";
import { AnswerCache } from "./answer-cache.ts";
import { AnswerSender } from "./answer-sender.ts";
import { BodyPool } from "./body-pool.ts";
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
  const bodies = new BodyPool();
  const at = (path: string, of: EvaluationRules, bodyForm: BodyForm): FastPath =>
    new FastPath({
      path: config.basePath + path,
      keyHeaderName,
      ring,
      rules: of,
      bodyForm,
      sender: new AnswerSender(
        { corsHeaders, cacheControl: of.cacheControl, vary: of.vary },
        bodies,
      ),
      observe,
      answers,
    });
  return [
    at("/proxy", rules.proxy, proxyBodyForm),
    ...FRONTEND_PATHS.map((path) => at(path, rules.frontend, frontendBodyForm)),
  ];
}

/** Sends each request along the fast path that it suits, if there is one. */
export function createShortcut(fastPaths: readonly FastPath[]): Shortcut {
  return (request, response, leave) => {
    const fastPath = fastPaths.find((path) => path.suits(request));
    if (fastPath === undefined) leave(request, response);
    else fastPath.answer(request, response, leave);
  };
}
