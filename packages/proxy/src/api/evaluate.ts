import type { FastifyReply, FastifyRequest } from "fastify";
import type { Context, Snapshot } from "flags-engine";
import { sendConditional } from "flags-server-kit/http";
import { grantOf } from "../access/authenticate.ts";
import type { KeyExtractor } from "../access/key-extractor.ts";
import { requestContext, type ContextRules } from "../evaluation/request-context.ts";
import type { SentContext } from "../evaluation/sent-context.ts";
import { notReady } from "../errors.ts";
import type { Protocol } from "../response/protocol.ts";
import { evaluateFlags } from "../response/evaluate-flags.ts";
import type { ResponseBody } from "../response/flag-list-body.ts";
import type { Renderer } from "../response/rendering.ts";
import type { Selection } from "../response/select.ts";

/** How the requests of one protocol are evaluated, by the routes and by the fast path. */
export interface EvaluationRules extends Renderer {
  readonly contextRules: ContextRules;
  readonly protocol: Protocol;
  readonly keyExtractor: KeyExtractor;
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
