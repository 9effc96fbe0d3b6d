import type { FastifyReply, FastifyRequest } from "fastify";
import type { Context } from "flags-engine";
import { grantOf } from "./authenticate.ts";
import { acceptContext } from "../access/grant.ts";
import { notReady } from "../errors.ts";
import { dependsOnSentAlone, prepareContext } from "../context/request-context.ts";
import type { SentContext } from "../context/sent-context.ts";
import { setHeaders } from "../http/raw-headers.ts";
import { evaluateFlags, isShareable, type Selection } from "../response/evaluate-flags.ts";
import { headersFor, type PreparedResponse } from "../response/prepare-response.ts";
import type { ResponseBody } from "../response/response-body.ts";
import type { Protocol } from "./protocol.ts";

/** The context that flags were evaluated for. */
export interface EvaluatedContext {
  readonly context: Context;
  /** When its signature expires, epoch milliseconds. @default never */
  readonly expiresAtMs: number | undefined;
}

interface FlagHandlerOptions {
  readonly sent: SentContext;
  readonly selection: Selection;
  /** Adds the parts of a body that are specific to this request. @default none */
  readonly extend?: ((body: ResponseBody, evaluated: EvaluatedContext) => ResponseBody) | undefined;
}

/** Evaluates flags for an authenticated request and sends the response. */
type FlagHandler = (
  request: FastifyRequest,
  reply: FastifyReply,
  options: FlagHandlerOptions,
) => Promise<FastifyReply>;

/** Creates the handler of all routes that evaluate flags in a protocol. */
export function createFlagHandler(protocol: Protocol): FlagHandler {
  const { contextRules, preparer, reporter } = protocol;
  return async (request, reply, { sent: received, selection, extend }) => {
    const grant = grantOf(request);
    const { sent, expiresAtMs } = await acceptContext(grant, received, request.raw);
    // NOTE: read once, since it may be replaced while an enricher is running.
    const { snapshot } = grant.flags;
    if (snapshot === undefined) throw notReady();

    const context = await prepareContext({ request: request.raw, sent, snapshot }, contextRules);
    const evaluated = evaluateFlags(protocol, snapshot, context, selection);
    const { body, outcomes } = evaluated;
    const { source } = grant.flags;
    reporter?.report(request.raw, { source, snapshot, selection, outcomes, context });
    const isSame = extend === undefined && dependsOnSentAlone(sent, evaluated);
    const headers = headersFor(protocol, grant, isSame);
    const response =
      extend === undefined
        ? { body, isShareable: isShareable(selection), headers }
        : { body: extend(body, { context, expiresAtMs }), isShareable: false, headers };
    return send(reply, await preparer.prepare(request.headers, response));
  };
}

function send(reply: FastifyReply, { status, headers, bytes }: PreparedResponse): FastifyReply {
  setHeaders(reply, headers);
  // The framework would encode a string in UTF-8.
  return reply.code(status).send(typeof bytes === "string" ? Buffer.from(bytes, "latin1") : bytes);
}
