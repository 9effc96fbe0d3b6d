import type { FastifyInstance } from "fastify";
import type { FlagSource } from "flags-sdk";
import { notReady } from "../errors.ts";

/**
 * Whether every source has flags to answer with, wherever they came from. Memory being the default
 * storage, a restarted proxy has none until its upstream or a bootstrap has answered.
 */
export function isReady(sources: readonly FlagSource[]): boolean {
  return sources.every((source) => source.snapshot !== undefined);
}

/** Answers 503 to every request until the sources are ready, before anything else is looked at. */
export function gateUntilReady(app: FastifyInstance, sources: readonly FlagSource[]): void {
  app.addHook("onRequest", (_request, _reply, done) => {
    done(isReady(sources) ? undefined : notReady());
  });
}
