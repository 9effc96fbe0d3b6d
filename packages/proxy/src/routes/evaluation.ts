import type { FastifyReply, FastifyRequest, onRequestHookHandler } from "fastify";
import type { Snapshot } from "flags-engine";
import { grantOf } from "../auth/authenticate.ts";
import { parseQueryContext } from "../context/parse-query.ts";
import { readContext } from "../context/read-context.ts";
import { requestContext, type ContextRules } from "../context/request-context.ts";
import type { SentContext } from "../context/sent-context.ts";
import { HttpError, notReady } from "../errors.ts";
import { sendConditional } from "flags-service/http";
import type { Answer } from "../render/answer.ts";
import type { Rendering } from "../render/rendering.ts";
import { selectAll, selectEnabled, selectNamed, type OutcomeVector } from "../render/select.ts";
import type { TypedApp } from "flags-service/http";
import {
  ContextQuery,
  errorAnswers,
  type ErrorStatus,
  EvaluationBody,
  NotModified,
  ToggleList,
} from "./schemas.ts";

type Selection = (rendering: Rendering, outcomes: OutcomeVector) => Answer;

/** What an evaluation needs, whichever way a request takes. */
export interface EvaluationRules {
  readonly contextRules: ContextRules;
  readonly render: (snapshot: Snapshot) => Rendering;
  /** Value of `Vary` for answers that depend on the context and the key. */
  readonly vary: string;
}

interface EvaluationOptions {
  readonly authenticate: onRequestHookHandler;
  readonly rules: EvaluationRules;
  readonly allEndpointEnabled: boolean;
}

/** The root answers which toggles are on, `/all` also which are off: each by GET and by POST. */
export function registerEvaluation(app: TypedApp, options: EvaluationOptions): void {
  const { authenticate, allEndpointEnabled, rules } = options;
  const evaluate = createEvaluator(rules);
  registerPair(app, {
    path: "",
    what: "the toggles that are on",
    failures: [400, 401, 503],
    onRequest: [authenticate],
    select: selectEnabled,
    evaluate,
  });
  registerPair(app, {
    path: "/all",
    what: "all toggles, on and off",
    failures: [400, 401, 501, 503],
    onRequest: allEndpointEnabled ? [authenticate] : [authenticate, refuseAll],
    select: selectAll,
    evaluate,
  });
}

const refuseAll: onRequestHookHandler = (_request, _reply, done) => {
  done(
    new HttpError(
      501,
      "This endpoint is not switched on: set `enableAllEndpoint` (ENABLE_ALL_ENDPOINT) to true",
    ),
  );
};

interface Pair {
  readonly path: string;
  readonly what: string;
  /** Statuses of the failures that both ways of asking can end in. */
  readonly failures: readonly ErrorStatus[];
  readonly onRequest: onRequestHookHandler[];
  readonly select: Selection;
  readonly evaluate: Evaluator;
}

function registerPair(app: TypedApp, pair: Pair): void {
  const { path, onRequest, select, evaluate } = pair;
  app.get(path, { onRequest, schema: describeGet(pair) }, (request, reply) =>
    evaluate(request, reply, { sent: parseQueryContext(request.url), select }),
  );
  app.post(path, { onRequest, schema: describePost(pair) }, (request, reply) => {
    const { context, toggles } = request.body;
    return evaluate(request, reply, {
      sent: readContext(context),
      select: toggles === undefined ? select : named(toggles),
    });
  });
}

function named(toggles: readonly string[]): Selection {
  return (rendering, outcomes) => selectNamed(rendering, outcomes, toggles);
}

interface Question {
  readonly sent: SentContext;
  readonly select: Selection;
}

type Evaluator = (
  request: FastifyRequest,
  reply: FastifyReply,
  question: Question,
) => Promise<FastifyReply>;

/** The way of a request: context, outcomes, answer, and a body only if the caller needs one. */
function createEvaluator({ contextRules, render, vary }: EvaluationRules): Evaluator {
  return async (request, reply, { sent, select }) => {
    // NOTE: read once, since it may be replaced while an enricher is at work.
    const { snapshot } = grantOf(request).source;
    if (snapshot === undefined) throw notReady();

    const context = await requestContext({ request: request.raw, sent, snapshot }, contextRules);
    const { outcomes } = snapshot.evaluateAll(context);
    const answer = select(render(snapshot), outcomes);
    reply.header("cache-control", "public, max-age=2").header("vary", vary);
    return sendConditional(request, reply, {
      entityTag: answer.entityTag(),
      contentType: "application/json; charset=utf-8",
      body: () => answer.body(),
    });
  };
}

function describeGet({ what, failures }: Pair) {
  return {
    ...describe(`Evaluates ${what}, for a context in the query`),
    querystring: ContextQuery,
    response: { 200: ToggleList, 304: NotModified, ...errorAnswers(...failures) },
  };
}

function describePost({ what, failures }: Pair) {
  return {
    ...describe(`Evaluates ${what}, or the named ones, for a context in the body`),
    body: EvaluationBody,
    response: { 200: ToggleList, 304: NotModified, ...errorAnswers(...failures, 413, 415) },
  };
}

function describe(summary: string) {
  return { summary, tags: ["Evaluation"], security: [{ clientKey: [] }] };
}
