import type { FastifyReply, FastifyRequest } from "fastify";
import type { Context, Snapshot } from "flags-engine";
import { sendConditional } from "flags-server-kit/http";
import { grantOf } from "../auth/authenticate.ts";
import type { KeyPlace } from "../auth/key-place.ts";
import { requestContext, type ContextRules } from "../context/request-context.ts";
import type { SentContext } from "../context/sent-context.ts";
import { notReady } from "../errors.ts";
import type { Dialect } from "../render/dialect.ts";
import { evaluateFlags } from "../render/evaluate-flags.ts";
import type { ResponseBody } from "../render/flag-list-body.ts";
import type { Renderer } from "../render/rendering.ts";
import type { Selection } from "../render/select.ts";

/** How the requests of one protocol are evaluated, by the routes and by the fast path. */
export interface EvaluationRules extends Renderer {
  readonly contextRules: ContextRules;
  readonly dialect: Dialect;
  readonly keyPlace: KeyPlace;
  /** Value of `Vary` for responses that depend on the context and the key. */
  readonly vary: string;
  /** Value of `Cache-Control` for the same. */
  readonly cacheControl: string;
}

/** Computes the response body for a context. */
export type Responder = (snapshot: Snapshot, context: Context) => ResponseBody;

interface EvaluationRequest {
  readonly sent: SentContext;
  readonly respond: Responder;
}

/** Evaluates flags for the context of a request, and sends the response. */
export type Evaluator = (
  request: FastifyRequest,
  reply: FastifyReply,
  evaluation: EvaluationRequest,
) => Promise<FastifyReply>;

/** The path of a request: context, outcomes, response, and a body only if the client needs one. */
export function createEvaluator({ contextRules, vary, cacheControl }: EvaluationRules): Evaluator {
  return async (request, reply, { sent, respond }) => {
    // NOTE: read once, since it may be replaced while an enricher is running.
    const { snapshot } = grantOf(request).source;
    if (snapshot === undefined) throw notReady();

    const context = await requestContext({ request: request.raw, sent, snapshot }, contextRules);
    const body = respond(snapshot, context);
    reply.header("cache-control", cacheControl).header("vary", vary);
    return sendConditional(request, reply, {
      entityTag: body.entityTag,
      contentType: "application/json; charset=utf-8",
      body: () => body.toBuffer(),
    });
  };
}

/** Responds with a list of flags. */
export function respondWithList(rules: EvaluationRules, selection: Selection): Responder {
  return (snapshot, context) => evaluateFlags(rules, snapshot, context, selection).body;
}
