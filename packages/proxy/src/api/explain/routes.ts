import type { onRequestHookHandler } from "fastify";
import type { TypedApp } from "flags-server-kit/http";
import { grantOf } from "../authenticate.ts";
import { acceptContext, allowsExplanations } from "../../access/grant.ts";
import { type ContextRules, prepareContext } from "../../context/request-context.ts";
import { readContext } from "../../context/sent-context.ts";
import { notAllowed, notEnabled, notReady, tooManyExplanations } from "../../errors.ts";
import { explainFlags } from "./explain-flags.ts";
import { errorResponses } from "../schemas.ts";
import { ExplainBody, Explanations } from "./schemas.ts";

/**
 * More requests at the same time get a 503: an explanation takes a thousand times as long as an evaluation, and
 * a response with all flags can have megabytes.
 */
const MAX_RUNNING = 4;

interface ExplanationsOptions {
  /** Accepts client keys and server tokens. */
  readonly authenticate: onRequestHookHandler;
  readonly contextRules: ContextRules;
  readonly isEnabled: boolean;
}

/**
 * Registers the endpoint that says why flags are on or off for a context. Explanations contain strategies, so
 * it must be enabled, and requires a server token or a key with `explain` in the access file.
 */
export function registerExplanations(
  app: TypedApp,
  { authenticate, contextRules, isEnabled }: ExplanationsOptions,
): void {
  let running = 0;
  app.post(
    "/explain",
    {
      config: { hasCors: false },
      onRequest: [authenticate, createExplainCheck(isEnabled)],
      schema: {
        summary: "Explains why flags are on or off for a context",
        description:
          "The results are those of a request for flags with the same context. Requires `ENABLE_EXPLAIN=true`, and a server token or a key with `explain` in the access file",
        tags: ["Evaluation"],
        security: [{ serverToken: [] }],
        body: ExplainBody,
        response: { 200: Explanations, ...errorResponses(400, 401, 403, 413, 415, 501, 503) },
      },
    },
    async (request, reply) => {
      const grant = grantOf(request);
      const { context: received, flags: names } = request.body;
      const { sent } = await acceptContext(grant, readContext(received ?? {}), request.raw);
      const { snapshot } = grant.flags;
      if (snapshot === undefined) throw notReady();
      const context = await prepareContext({ request: request.raw, sent, snapshot }, contextRules);
      if (running >= MAX_RUNNING) throw tooManyExplanations();
      running += 1;
      try {
        const flags = await explainFlags(snapshot, names, context);
        return await reply.header("cache-control", "no-store").send({ flags });
      } finally {
        running -= 1;
      }
    },
  );
}

function createExplainCheck(isEnabled: boolean): onRequestHookHandler {
  return (request, _reply, done) => {
    if (!isEnabled) {
      done(notEnabled("This endpoint", "set `enableExplain` (ENABLE_EXPLAIN) to true"));
    } else if (allowsExplanations(grantOf(request))) done();
    else done(notAllowed("request explanations", "explain"));
  };
}
