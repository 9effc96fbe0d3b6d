import { randomUUID } from "node:crypto";
import type { IncomingMessage } from "node:http";
import type { Context, Snapshot } from "flags-engine";
import type { ContextEnricher } from "../extensions.ts";
import type { CallerAddress } from "./caller-address.ts";
import { completeContext, readsSessionId, type ContextDefaults } from "./complete-context.ts";
import { enrichContext } from "./enrich-context.ts";
import type { SentContext } from "./sent-context.ts";

/** How the context of a request comes about. */
export interface ContextRules {
  readonly defaults: ContextDefaults;
  readonly callerAddress: CallerAddress;
  readonly enrichers: readonly ContextEnricher[];
}

/** Whom and what a context is for. */
export interface ContextSubject {
  readonly request: IncomingMessage;
  readonly sent: SentContext;
  readonly snapshot: Snapshot;
}

/** The context that the flags of a snapshot are evaluated for. */
export async function requestContext(
  subject: ContextSubject,
  rules: ContextRules,
): Promise<Context> {
  const context = unenrichedContext(subject, rules);
  if (rules.enrichers.length === 0) return context;
  const { request } = subject;
  return enrichContext(context, rules.enrichers, {
    headers: request.headers,
    remoteAddress: rules.callerAddress(request) ?? "",
  });
}

/** The same before any enricher has seen it. */
export function unenrichedContext(
  { request, sent, snapshot }: ContextSubject,
  { defaults, callerAddress, enrichers }: ContextRules,
): Context {
  const wantsSessionId = enrichers.length > 0 || readsSessionId(snapshot.contextDependencies);
  return completeContext(sent, defaults, {
    remoteAddress: callerAddress(request),
    sessionId: wantsSessionId && !sent.fields.sessionId ? randomUUID() : undefined,
  });
}
