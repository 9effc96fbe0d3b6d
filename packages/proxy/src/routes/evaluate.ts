import type { FastifyReply, FastifyRequest } from "fastify";
import type { Context, Snapshot } from "flags-engine";
import { sendConditional } from "flags-service/http";
import { grantOf } from "../auth/authenticate.ts";
import type { KeyPlace } from "../auth/key-place.ts";
import { requestContext, type ContextRules } from "../context/request-context.ts";
import type { SentContext } from "../context/sent-context.ts";
import { notReady } from "../errors.ts";
import type { Dialect } from "../render/dialect.ts";
import type { Renderer, Rendering } from "../render/rendering.ts";
import type { Answer } from "../render/answer.ts";
import type { OutcomeVector } from "../render/stretch-table.ts";

/** What an evaluation needs, whichever way a request takes. */
export interface EvaluationRules extends Renderer {
  readonly contextRules: ContextRules;
  readonly dialect: Dialect;
  readonly keyPlace: KeyPlace;
  /** Value of `Vary` for answers that depend on the context and the key. */
  readonly vary: string;
  /** Value of `Cache-Control` for the same. */
  readonly cacheControl: string;
}

/** What is sent, and the tag that names it before it is put together. */
export interface Representation {
  entityTag(): string;
  body(): string | Buffer;
}

/** Works out what to answer for a context. */
export type Answerer = (snapshot: Snapshot, context: Context) => Representation;

interface Question {
  readonly sent: SentContext;
  readonly answer: Answerer;
}

/** Answers a question that came with a request. */
export type Evaluator = (
  request: FastifyRequest,
  reply: FastifyReply,
  question: Question,
) => Promise<FastifyReply>;

/** The way of a request: context, outcomes, answer, and a body only if the caller needs one. */
export function createEvaluator({ contextRules, vary, cacheControl }: EvaluationRules): Evaluator {
  return async (request, reply, { sent, answer }) => {
    // NOTE: read once, since it may be replaced while an enricher is at work.
    const { snapshot } = grantOf(request).source;
    if (snapshot === undefined) throw notReady();

    const context = await requestContext({ request: request.raw, sent, snapshot }, contextRules);
    const representation = answer(snapshot, context);
    reply.header("cache-control", cacheControl).header("vary", vary);
    return sendConditional(request, reply, {
      entityTag: representation.entityTag(),
      contentType: "application/json; charset=utf-8",
      body: () => representation.body(),
    });
  };
}

/** Which flags of a snapshot belong into an answer. */
export type Selection = (rendering: Rendering, outcomes: OutcomeVector) => Answer;

/** Answers with a list of flags. */
export function answerList({ render }: EvaluationRules, select: Selection): Answerer {
  return (snapshot, context) => select(render(snapshot), snapshot.evaluateAll(context).outcomes);
}
