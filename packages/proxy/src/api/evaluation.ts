import type { onRequestHookHandler } from "fastify";
import type { TSchema } from "typebox";
import type { TypedApp } from "flags-server-kit/http";
import { parseQueryContext } from "../evaluation/parse-query.ts";
import { notSwitchedOn, SWITCH_ALL_ON } from "../errors.ts";
import type { Selection } from "../response/select.ts";
import type { BodyForm } from "./body-form.ts";
import { createEvaluator, type EvaluationRules, respondWithList } from "./evaluate.ts";
import { ContextQuery, errorResponses, type ErrorStatus, NotModified } from "./schemas.ts";

/** What tells one list of toggles from that of another protocol. */
export interface EvaluationOptions {
  readonly authenticate: onRequestHookHandler;
  readonly rules: EvaluationRules;
  readonly bodyForm: BodyForm;
  /** What an answer looks like. */
  readonly responseSchema: TSchema;
  /** The heading under which the documentation has the routes. */
  readonly tag: string;
  readonly allEndpointEnabled: boolean;
}

/** The root answers which toggles are on, `/all` also which are off: each by GET and by POST. */
export function registerEvaluation(app: TypedApp, options: EvaluationOptions): void {
  const { authenticate, allEndpointEnabled } = options;
  registerPair(app, options, {
    path: "",
    what: "the toggles that are on",
    failures: [400, 401, 503],
    onRequest: [authenticate],
    selection: {},
  });
  registerPair(app, options, {
    path: "/all",
    what: "all toggles, on and off",
    failures: [400, 401, 501, 503],
    onRequest: allEndpointEnabled ? [authenticate] : [authenticate, refuseAll],
    selection: { all: true },
  });
}

const refuseAll: onRequestHookHandler = (_request, _reply, done) => {
  done(notSwitchedOn("This endpoint", SWITCH_ALL_ON));
};

interface Pair {
  readonly path: string;
  readonly what: string;
  /** Statuses of the failures that both ways of asking can end in. */
  readonly failures: readonly ErrorStatus[];
  readonly onRequest: onRequestHookHandler[];
  readonly selection: Selection;
}

function registerPair(app: TypedApp, options: EvaluationOptions, pair: Pair): void {
  const { rules, bodyForm } = options;
  const { path, onRequest, selection } = pair;
  const evaluate = createEvaluator(rules);
  const respond = respondWithList(rules, selection);

  app.get(path, { onRequest, schema: describeGet(options, pair) }, (request, reply) =>
    evaluate(request, reply, { sent: parseQueryContext(request.url), respond }),
  );
  app.post(path, { onRequest, schema: describePost(options, pair) }, (request, reply) => {
    const { sent, toggles } = bodyForm.read(request.body);
    return evaluate(request, reply, {
      sent,
      respond: toggles === undefined ? respond : respondWithList(rules, { toggles }),
    });
  });
}

function describeGet({ responseSchema, tag }: EvaluationOptions, { what, failures }: Pair) {
  return {
    ...describe(`Evaluates ${what}, for a context in the query`, tag),
    querystring: ContextQuery,
    response: { 200: responseSchema, 304: NotModified, ...errorResponses(...failures) },
  };
}

function describePost(
  { responseSchema, bodyForm, tag }: EvaluationOptions,
  { what, failures }: Pair,
) {
  return {
    ...describe(`Evaluates ${what}, or the named ones, for a context in the body`, tag),
    body: bodyForm.schema,
    response: { 200: responseSchema, 304: NotModified, ...errorResponses(...failures, 413, 415) },
  };
}

function describe(summary: string, tag: string) {
  return { summary, tags: [tag], security: [{ clientKey: [] }] };
}
