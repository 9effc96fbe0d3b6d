import type { onRequestHookHandler } from "fastify";
import type { TypedApp } from "flags-server-kit/http";
import { grantOf } from "../../access/authenticate.ts";
import { readOfrepContext } from "./read-context.ts";
import {
  createEvaluator,
  type EvaluationRules,
  type Responder,
  respondWithList,
} from "../evaluate.ts";
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
  const respond = respondWithList(rules, { all: showsDisabled });
  const responderFor = (clientKey: string): Responder =>
    streams === undefined
      ? respond
      : respondWithStream(respond, { ...streams, clientKey, all: showsDisabled });
  const onRequest = [authenticate];

  app.post("/evaluate/flags", { onRequest, schema: describe() }, (request, reply) =>
    evaluate(request, reply, {
      sent: readOfrepContext(request.body.context ?? {}),
      respond: responderFor(grantOf(request).key),
    }),
  );
}

interface StreamOffer extends StreamPlace {
  readonly clientKey: string;
  readonly all: boolean;
}

/** Adds the address of a stream that tells the client when to evaluate again. */
function respondWithStream(respond: Responder, offer: StreamOffer): Responder {
  return (snapshot, context) => {
    const subscription = { context, kind: "refetch", all: offer.all } as const;
    const address = locateStream(offer, { clientKey: offer.clientKey, subscription });
    return withEventStream(respond(snapshot, context), address);
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
