import type { onRequestHookHandler } from "fastify";
import type { TypedApp } from "flags-service/http";
import { readOfrepContext } from "../../context/read-ofrep-context.ts";
import { selectAll, selectEnabled } from "../../render/select.ts";
import { answerList, createEvaluator, type EvaluationRules } from "../evaluate.ts";
import { NotModified } from "../schemas.ts";
import { OfrepBody, OfrepEvaluations, ofrepFailures } from "./schemas.ts";

interface AllFlagsOptions {
  readonly authenticate: onRequestHookHandler;
  readonly rules: EvaluationRules;
  /** Whether callers may see the names of flags that are off. */
  readonly showsDisabled: boolean;
}

/** Answers for every flag at once. */
export function registerAllFlags(
  app: TypedApp,
  { authenticate, rules, showsDisabled }: AllFlagsOptions,
): void {
  const evaluate = createEvaluator(rules);
  const answer = answerList(rules, showsDisabled ? selectAll : selectEnabled);
  const onRequest = [authenticate];

  app.post("/evaluate/flags", { onRequest, schema: describe() }, (request, reply) =>
    evaluate(request, reply, { sent: readOfrepContext(request.body.context ?? {}), answer }),
  );
}

function describe() {
  return {
    summary: "Evaluates the flags that are on, or all of them with `enableAllEndpoint`",
    tags: ["OFREP"],
    security: [{ bearer: [] }, { apiKey: [] }, { clientKey: [] }],
    body: OfrepBody,
    response: {
      200: OfrepEvaluations,
      304: NotModified,
      ...ofrepFailures(400, 401, 413, 415, 503),
    },
  };
}
