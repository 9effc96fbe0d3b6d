import type { Context, Snapshot } from "flags-engine";
import { matchesEntityTag } from "flags-server-kit/neutral";
import { acceptContext, acceptUnsigned, cacheKeyOf, requiresSignature } from "../access/grant.ts";
import {
  buildContext,
  type ContextRules,
  dependsOnSentAlone,
  prepareContext,
} from "../context/request-context.ts";
import type { SentContext } from "../context/sent-context.ts";
import type { Call } from "../routing/call.ts";
import { notReady } from "../http/errors.ts";
import type { EvaluationReporter } from "./evaluation-reporter.ts";
import { JSON_TYPE, type Reply } from "../http/reply.ts";
import {
  type EvaluatedFlags,
  evaluateFlags,
  isShareable,
  type Selection,
} from "../response/evaluate-flags.ts";
import { headersFor, type ProtocolHeaders, type ResponseHeaders } from "../response/headers.ts";
import type { Renderer } from "../response/rendering.ts";
import type { ResponseBody } from "../http/response-body.ts";
import type { ResponseCache } from "../response/response-cache.ts";

/** The parts of a protocol that responses depend on. */
export interface FlagProtocol extends Renderer, ProtocolHeaders {
  readonly contextRules: ContextRules;
  /** Undefined: evaluations are not reported. */
  readonly reporter: EvaluationReporter | undefined;
}

/** The context that flags were evaluated for. */
export interface EvaluatedContext {
  readonly context: Context;
  /** When its signature expires, epoch milliseconds. @default never */
  readonly expiresAtMs: number | undefined;
}

/** What a request asks for. */
export interface FlagQuery {
  readonly sent: SentContext;
  readonly selection: Selection;
  /** Adds the parts of a body that are specific to this request. @default none */
  readonly extend?: ((body: ResponseBody, evaluated: EvaluatedContext) => ResponseBody) | undefined;
}

/**
 * Creates the function that responds to requests for flags in a protocol. It returns a promise only if a signature
 * must be verified, or enrichers run.
 *
 * @param cache shared by all protocols: a key contains the whole request
 */
export function createFlagResponder(protocol: FlagProtocol, cache: ResponseCache) {
  const { contextRules, reporter } = protocol;
  const isImmediate = contextRules.enrichers.length === 0;

  /** @param parse reads the request. Not called if the response is cached. @throws {HttpError} */
  return (call: Call, parse: () => FlagQuery): Reply | Promise<Reply> => {
    const { grant, request, text } = call;
    if (!isImmediate || requiresSignature(grant)) return respondLater(call, parse());
    const snapshot = snapshotOf(call);
    // NOTE: no URL contains a line break, so a POST never has the key of a GET.
    const sentText = text === undefined ? request.url : `${request.url}\n${text}`;
    const cacheKey = cache.keyOf(snapshot, `${cacheKeyOf(grant)}\n${sentText}`);
    // The evaluations of a traced request are reported, and a cached response does not contain them.
    const isTraced = reporter?.isTraced(request) === true;
    const cached = isTraced ? undefined : cache.get(cacheKey);
    if (cached !== undefined) return toReply(call, cached, headersFor(protocol, grant, true));
    const query = parse();
    const sent = acceptUnsigned(grant, query.sent);
    const context = buildContext({ request, sent, snapshot }, contextRules);
    const evaluated = evaluate(call, snapshot, context, query);
    const isSame = query.extend === undefined && dependsOnSentAlone(sent, evaluated);
    if (isSame && evaluated.isRepeatable) cache.offer(cacheKey, evaluated.body);
    return complete(call, query, evaluated, { isSame, context, expiresAtMs: undefined });
  };

  async function respondLater(call: Call, query: FlagQuery): Promise<Reply> {
    const { request } = call;
    const { sent, expiresAtMs } = await acceptContext(call.grant, query.sent, request);
    // NOTE: read once, since it may be replaced while an enricher is running.
    const snapshot = snapshotOf(call);
    const context = await prepareContext({ request, sent, snapshot }, contextRules);
    const evaluated = evaluate(call, snapshot, context, query);
    const isSame = query.extend === undefined && dependsOnSentAlone(sent, evaluated);
    return complete(call, query, evaluated, { isSame, context, expiresAtMs });
  }

  function evaluate(
    call: Call,
    snapshot: Snapshot,
    context: Context,
    { selection }: FlagQuery,
  ): EvaluatedFlags {
    const evaluated = evaluateFlags(protocol, snapshot, context, selection);
    const { source } = call.grant.flags;
    const { outcomes } = evaluated;
    reporter?.report(call.request, { source, snapshot, selection, outcomes, context });
    return evaluated;
  }

  function complete(
    call: Call,
    { selection, extend }: FlagQuery,
    { body }: EvaluatedFlags,
    { isSame, ...evaluated }: EvaluatedContext & { readonly isSame: boolean },
  ): Reply {
    const headers = headersFor(protocol, call.grant, isSame);
    if (extend !== undefined) return toReply(call, extend(body, evaluated), headers);
    return toReply(call, body, headers, isShareable(selection));
  }
}

export type FlagResponder = ReturnType<typeof createFlagResponder>;

function snapshotOf({ grant: { flags } }: Call): Snapshot {
  const { snapshot } = flags;
  if (snapshot === undefined) throw notReady();
  return snapshot;
}

/** A 304 if the client has the body already. A cached body keeps its compressed forms itself, so it need not be shared. */
function toReply(
  { request }: Call,
  body: ResponseBody,
  { cacheControl, vary, age }: ResponseHeaders,
  isBodyShareable = false,
): Reply {
  const { entityTag } = body;
  const headers = ["cache-control", cacheControl, "vary", vary, "etag", entityTag];
  if (age !== undefined) headers.push(age.name, age.seconds);
  // NOTE: the request's own `Cache-Control: no-cache` is ignored on purpose. Browsers add it to
  // every request whose If-None-Match was set by a script, which is how all clients poll.
  if (matchesEntityTag(request.headers["if-none-match"], entityTag))
    return { status: 304, headers };
  headers.push("content-type", JSON_TYPE);
  return { status: 200, headers, body, isShareable: isBodyShareable };
}
