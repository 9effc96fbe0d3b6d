import { randomUUID } from "node:crypto";
import type { IncomingMessage } from "node:http";
import type { Context, Snapshot } from "flags-engine";
import type { ContextEnricher, EnricherRequest } from "../extensions.ts";
import type { CallerAddress } from "./caller-address.ts";
import { completeContext, readsSessionId, type ContextDefaults } from "./complete-context.ts";
import type { SentContext } from "./sent-context.ts";

/** How the contexts of requests are completed, as configured. */
export interface ContextRules {
  readonly defaults: ContextDefaults;
  readonly callerAddress: CallerAddress;
  readonly enrichers: readonly ContextEnricher[];
}

/** The request that a context belongs to, and the snapshot to evaluate. */
export interface ContextSubject {
  readonly request: IncomingMessage;
  readonly sent: SentContext;
  readonly snapshot: Snapshot;
}

/**
 * Returns the context to evaluate a snapshot for: the one that was sent, completed and enriched.
 *
 * @throws {HttpError} a 400 if the context is invalid
 */
export async function requestContext(
  subject: ContextSubject,
  rules: ContextRules,
): Promise<Context> {
  const context = buildContext(subject, rules);
  if (rules.enrichers.length === 0) return context;
  const { request } = subject;
  return enrichContext(context, rules.enrichers, {
    headers: request.headers,
    remoteAddress: rules.callerAddress(request) ?? "",
  });
}

/** The same without the enrichers, for configurations that have none. Synchronous. */
export function buildContext(
  { request, sent, snapshot }: ContextSubject,
  { defaults, callerAddress, enrichers }: ContextRules,
): Context {
  const needsSessionId = enrichers.length > 0 || readsSessionId(snapshot.contextDependencies);
  return completeContext(sent, defaults, {
    remoteAddress: callerAddress(request),
    sessionId: needsSessionId && !sent.fields.sessionId ? randomUUID() : undefined,
  });
}

/**
 * Runs the enrichers one after the other. If one fails, so does the request: with an incomplete context
 * the wrong users could get a flag.
 */
async function enrichContext(
  context: Context,
  enrichers: readonly ContextEnricher[],
  request: EnricherRequest,
): Promise<Context> {
  const { currentTime } = context;
  // Enrichers written for the official SDK or the old proxy expect a `Date` here.
  let enriched: Context =
    typeof currentTime === "string" ? { ...context, currentTime: new Date(currentTime) } : context;
  for (const enricher of enrichers) {
    // oxlint-disable-next-line no-await-in-loop -- each one works on the result of the previous one
    enriched = await runEnricher(enricher, enriched, request);
  }
  return enriched;
}

/** NOTE: errors of an enricher are wrapped, so that a status in one is not sent to the client. */
async function runEnricher(
  enricher: ContextEnricher,
  context: Context,
  request: EnricherRequest,
): Promise<Context> {
  const name = enricher.name === "" ? "without a name" : enricher.name;
  let enriched: Context;
  try {
    enriched = await enricher(context, request);
  } catch (cause) {
    throw new Error(`The context enricher ${name} failed: ${String(cause)}`, { cause });
  }
  if (typeof enriched === "object" && enriched !== null) return enriched;
  throw new TypeError(`The context enricher ${name} did not return a context`);
}
