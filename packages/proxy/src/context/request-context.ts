import { randomUUID } from "node:crypto";
import type { FastifyRequest } from "fastify";
import type { Context, Snapshot } from "flags-engine";
import type { ContextEnricher } from "../extensions/enricher.ts";
import { completeContext, readsSessionId, type ContextDefaults } from "./complete-context.ts";
import { enrichContext } from "./enrich-context.ts";
import type { SentContext } from "./sent-context.ts";

/** How the context of a request comes about. */
export interface ContextRules {
  readonly defaults: ContextDefaults;
  readonly enrichers: readonly ContextEnricher[];
}

/** The context that the flags of a snapshot are evaluated for. */
export async function requestContext(
  request: FastifyRequest,
  sent: SentContext,
  { rules, snapshot }: { readonly rules: ContextRules; readonly snapshot: Snapshot },
): Promise<Context> {
  const { enrichers, defaults } = rules;
  const wantsSessionId = enrichers.length > 0 || readsSessionId(snapshot.relevance);
  const remoteAddress = plainAddress(request);
  const context = completeContext(sent, defaults, {
    remoteAddress,
    sessionId: wantsSessionId && !sent.fields.sessionId ? randomUUID() : undefined,
  });
  if (enrichers.length === 0) return context;
  return enrichContext(context, enrichers, {
    headers: request.headers,
    remoteAddress: remoteAddress ?? "",
  });
}

/** An IPv4 address that came over an IPv6 socket is written the way rules are written. */
function plainAddress(request: FastifyRequest): string | undefined {
  // NOTE: typed as text, but there is none on a Unix socket.
  const address: string | undefined = request.ip;
  if (address === undefined || !address.startsWith("::ffff:")) return address;
  return address.includes(".") ? address.slice("::ffff:".length) : address;
}
