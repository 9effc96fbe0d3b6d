import type { onRequestHookHandler } from "fastify";
import type { TypedApp } from "flags-server-kit/http";
import { Type } from "typebox";
import { readOfrepContext } from "./read-context.ts";
import type { OfrepValues } from "../../config/config.ts";
import { toOfrepEvaluation } from "./evaluation.ts";
import { HttpError, unknownFlag } from "../../errors.ts";
import { evaluateFlag, toJsonBody } from "../../response/single-flag.ts";
import { createEvaluator, type EvaluationRules, type Responder } from "../evaluate.ts";
import { NotModified } from "../schemas.ts";
import { OfrepBody, OfrepEvaluation, ofrepFailures } from "./schemas.ts";

interface SingleFlagOptions {
  readonly authenticate: onRequestHookHandler;
  readonly rules: EvaluationRules;
  readonly values: OfrepValues;
}

const KeyOfFlag = Type.Object({ key: Type.String({ description: "Name of the flag" }) });
const RestOfPath = Type.Object({ "*": Type.String() });

/** Answers for one flag, on or off. */
export function registerSingleFlag(
  app: TypedApp,
  { authenticate, rules, values }: SingleFlagOptions,
): void {
  const evaluate = createEvaluator(rules);
  const onRequest = [authenticate];

  const schema = { ...describe(), params: KeyOfFlag };
  app.post("/evaluate/flags/:key", { onRequest, schema }, (request, reply) =>
    evaluate(request, reply, {
      sent: readOfrepContext(request.body.context ?? {}),
      respond: respondWithFlag(request.params.key, values),
    }),
  );
  // Some providers put a key into the path as it is, slashes included.
  const hidden = { ...describe(), params: RestOfPath, hide: true };
  app.post("/evaluate/flags/*", { onRequest, schema: hidden }, (request, reply) =>
    evaluate(request, reply, {
      sent: readOfrepContext(request.body.context ?? {}),
      respond: respondWithFlag(request.params["*"], values),
    }),
  );
}

function respondWithFlag(key: string, values: OfrepValues): Responder {
  return (snapshot, context) => {
    const flag = evaluateFlag(snapshot, context, key);
    if (flag === undefined) throw unknownFlag(key);
    const evaluation = toOfrepEvaluation(flag.feature, flag.outcome, values);
    if ("errorCode" in evaluation) {
      const { errorCode, errorDetails } = evaluation;
      throw new HttpError(400, errorDetails, { errorCode });
    }
    return toJsonBody(JSON.stringify(evaluation));
  };
}

function describe() {
  return {
    summary: "Evaluates one flag, on or off",
    tags: ["OFREP"],
    security: [{ bearer: [] }, { apiKey: [] }, { clientKey: [] }],
    body: OfrepBody,
    response: {
      200: OfrepEvaluation,
      304: NotModified,
      ...ofrepFailures(400, 401, 404, 413, 415, 503),
    },
  };
}
