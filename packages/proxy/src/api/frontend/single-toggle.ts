import type { onRequestHookHandler } from "fastify";
import type { TypedApp } from "flags-server-kit/http";
import { Type } from "typebox";
import { parseQueryContext } from "../../evaluation/parse-query.ts";
import { unknownFlag } from "../../errors.ts";
import type { Protocol } from "../../response/protocol.ts";
import { evaluateFlag, toJsonBody } from "../../response/single-flag.ts";
import { createEvaluator, type EvaluationRules, type Responder } from "../evaluate.ts";
import { ContextQuery, errorResponses, NotModified } from "../schemas.ts";
import { frontendBodyForm } from "./body.ts";
import { FrontendToggle } from "./schemas.ts";

interface SingleToggleOptions {
  readonly authenticate: onRequestHookHandler;
  readonly rules: EvaluationRules;
}

const NameOfToggle = Type.Object({ name: Type.String({ description: "Name of the toggle" }) });

/** Answers for one toggle, on or off. */
export function registerSingleToggle(
  app: TypedApp,
  { authenticate, rules }: SingleToggleOptions,
): void {
  const evaluate = createEvaluator(rules);
  const onRequest = [authenticate];

  app.get("/features/:name", { onRequest, schema: describeGet() }, (request, reply) =>
    evaluate(request, reply, {
      sent: parseQueryContext(request.url),
      respond: respondWithToggle(rules.protocol, request.params.name),
    }),
  );
  app.post("/features/:name", { onRequest, schema: describePost() }, (request, reply) =>
    evaluate(request, reply, {
      sent: frontendBodyForm.read(request.body).sent,
      respond: respondWithToggle(rules.protocol, request.params.name),
    }),
  );
}

function respondWithToggle(protocol: Protocol, name: string): Responder {
  return (snapshot, context) => {
    const flag = evaluateFlag(snapshot, context, name);
    if (flag === undefined) throw unknownFlag(name);
    return toJsonBody(protocol.writeFlag(flag.feature, flag.outcome));
  };
}

function describeGet() {
  return {
    ...describe("Evaluates one toggle, on or off, for a context in the query"),
    querystring: ContextQuery,
    response: { 200: FrontendToggle, 304: NotModified, ...errorResponses(400, 401, 404, 503) },
  };
}

function describePost() {
  return {
    ...describe("Evaluates one toggle, on or off, for a context in the body"),
    body: frontendBodyForm.schema,
    response: {
      200: FrontendToggle,
      304: NotModified,
      ...errorResponses(400, 401, 404, 413, 415, 503),
    },
  };
}

function describe(summary: string) {
  return { summary, tags: ["Frontend API"], security: [{ clientKey: [] }], params: NameOfToggle };
}
