import type { onRequestHookHandler } from "fastify";
import type { TypedApp } from "flags-service/http";
import { grantOf } from "../../auth/authenticate.ts";
import { readOfrepContext } from "../../context/read-ofrep-context.ts";
import { selectAll, selectEnabled } from "../../render/select.ts";
import { type Answerer, answerList, createEvaluator, type EvaluationRules } from "../evaluate.ts";
import { NotModified } from "../schemas.ts";
import { locateStream, type StreamPlace, withEventStream } from "./event-streams.ts";
import { OfrepBody, OfrepEvaluations, ofrepFailures } from "./schemas.ts";

interface AllFlagsOptions {
  readonly authenticate: onRequestHookHandler;
  readonly rules: EvaluationRules;
  /** Whether callers may see the names of flags that are off. */
  readonly showsDisabled: boolean;
  /** Where streams are found; undefined when nobody is to be told of any. */
  readonly streams: StreamPlace | undefined;
}

/** Answers for every flag at once. */
export function registerAllFlags(
  app: TypedApp,
  { authenticate, rules, showsDisabled, streams }: AllFlagsOptions,
): void {
  const evaluate = createEvaluator(rules);
  const answerAll = answerList(rules, showsDisabled ? selectAll : selectEnabled);
  const answerFor = (clientKey: string): Answerer =>
    streams === undefined
      ? answerAll
      : answerWithStream(answerAll, { ...streams, clientKey, all: showsDisabled });
  const onRequest = [authenticate];

  app.post("/evaluate/flags", { onRequest, schema: describe() }, (request, reply) =>
    evaluate(request, reply, {
      sent: readOfrepContext(request.body.context ?? {}),
      answer: answerFor(grantOf(request).key),
    }),
  );
}

interface StreamOffer extends StreamPlace {
  readonly clientKey: string;
  readonly all: boolean;
}

/** Adds where the client hears of the next answer. */
function answerWithStream(answerAll: Answerer, offer: StreamOffer): Answerer {
  return (snapshot, context) => {
    const question = { context, kind: "refetch", all: offer.all } as const;
    const address = locateStream(offer, { clientKey: offer.clientKey, question });
    return withEventStream(answerAll(snapshot, context), address);
  };
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
