import type { Context, Snapshot } from "flags-engine";
import { AGE_HEADER } from "flags-sdk/neutral";
import { ageMsOf } from "../../sources/age.ts";
import {
  acceptContext,
  acceptUnsigned,
  cacheKeyOf,
  isOriginRestricted,
  requiresSignature,
} from "../access/grant.ts";
import { SIGNATURE_HEADER } from "../access/verify-context.ts";
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
import { conditionalReply, JSON_TYPE, type Reply } from "../http/reply.ts";
import { evaluateFlags, isListShareable, type Selection } from "../response/evaluate-flags.ts";
import type { Renderer } from "../response/rendering.ts";
import type { ResponseBody } from "../http/response-body.ts";
import type { ResponseCache } from "../response/response-cache.ts";

export interface FlagProtocol extends Renderer {
  readonly contextRules: ContextRules;
  /** Value of `Cache-Control` for a response that depends only on URL, body and key of its request. */
  readonly cacheControl: string;
  /** For every other response: a shared cache would send it to other clients. */
  readonly privateCacheControl: string;
  readonly vary: string;
  /** For keys that only some origins can use, and keys that require signed contexts. */
  readonly originVary: string;
  /** Whether a response depends on more than the context, whatever the flags are. */
  readonly isAlwaysPrivate: boolean;
  readonly showsAge: boolean;
  readonly reporter: EvaluationReporter | undefined;
}

export interface EvaluatedContext {
  readonly context: Context;
  /** When its signature expires, epoch milliseconds. @default never */
  readonly expiresAtMs?: number | undefined;
}

export interface FlagQuery {
  readonly sent: SentContext;
  readonly selection: Selection;
  /** Adds the parts of a body that are specific to this request. @default none */
  readonly extend?: ((body: ResponseBody, evaluated: EvaluatedContext) => ResponseBody) | undefined;
}

/** @param cache shared by all protocols: a key contains the whole request */
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
    if (cached !== undefined) return toReply(call, cached, { isSame: true });
    const query = parse();
    const sent = acceptUnsigned(grant, query.sent);
    const context = buildContext({ request, sent, snapshot }, contextRules);
    return evaluate(call, query, { sent, snapshot, context, cacheKey });
  };

  async function respondLater(call: Call, query: FlagQuery): Promise<Reply> {
    const { request } = call;
    const { sent, expiresAtMs } = await acceptContext(call.grant, query.sent, request);
    // NOTE: read once, since it may be replaced while an enricher is running.
    const snapshot = snapshotOf(call);
    const context = await prepareContext({ request, sent, snapshot }, contextRules);
    return evaluate(call, query, { sent, snapshot, context, expiresAtMs });
  }

  function evaluate(
    call: Call,
    { selection, extend }: FlagQuery,
    { sent, snapshot, context, expiresAtMs, cacheKey }: Prepared,
  ): Reply {
    const evaluated = evaluateFlags(protocol, snapshot, context, selection);
    const { body, outcomes, isRepeatable } = evaluated;
    const { source } = call.grant.flags;
    reporter?.report(call.request, { source, snapshot, selection, outcomes, context });
    if (extend !== undefined) {
      return toReply(call, extend(body, { context, expiresAtMs }), { isSame: false });
    }
    const isSame = dependsOnSentAlone(sent, evaluated);
    if (isSame && isRepeatable && cacheKey !== undefined) cache.offer(cacheKey, body);
    return toReply(call, body, { isSame, isShareable: isListShareable(selection) });
  }

  function toReply(
    { grant, request }: Call,
    body: ResponseBody,
    { isSame, isShareable = false }: BodyUse,
  ): Reply {
    const isSigned = requiresSignature(grant);
    const isPrivate = !isSame || isSigned || protocol.isAlwaysPrivate;
    const unsignedVary = isOriginRestricted(grant) ? protocol.originVary : protocol.vary;
    const headers: Reply["headers"] = {
      "cache-control": isPrivate ? protocol.privateCacheControl : protocol.cacheControl,
      vary: isSigned ? `${SIGNATURE_HEADER}, ${protocol.originVary}` : unsignedVary,
    };
    const ageMs = protocol.showsAge ? ageMsOf(grant.flags.source.flags) : undefined;
    // In whole seconds, for people.
    if (ageMs !== undefined) headers[AGE_HEADER] = String(Math.ceil(ageMs / 1000));
    const { entityTag } = body;
    const contentType = JSON_TYPE;
    return conditionalReply(request, headers, { entityTag, contentType, body, isShareable });
  }
}

interface Prepared extends EvaluatedContext {
  readonly sent: SentContext;
  readonly snapshot: Snapshot;
  /** @default the response is not cached */
  readonly cacheKey?: string;
}

interface BodyUse {
  readonly isSame: boolean;
  /** A cached body keeps its compressed forms itself, so it need not be shared. @default false */
  readonly isShareable?: boolean;
}

export type FlagResponder = ReturnType<typeof createFlagResponder>;

function snapshotOf({ grant: { flags } }: Call): Snapshot {
  const { snapshot } = flags;
  if (snapshot === undefined) throw notReady();
  return snapshot;
}
