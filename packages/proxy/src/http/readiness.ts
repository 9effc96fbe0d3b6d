import type { FastifyInstance } from "fastify";
import type { FlagSource } from "flags-sdk";
import { notReady } from "../errors.ts";

/**
 * Returns whether every source has flags, from the upstream, a bootstrap or storage. Since storage is
 * in memory by default, a restarted proxy has none until its upstream or a bootstrap responds.
 */
export function isReady(sources: readonly FlagSource[]): boolean {
  return sources.every((source) => source.snapshot !== undefined);
}

/** Responds with a 503 to every request until the sources are ready, before any other check. */
export function gateUntilReady(app: FastifyInstance, sources: readonly FlagSource[]): void {
  app.addHook("onRequest", (_request, _reply, done) => {
    done(isReady(sources) ? undefined : notReady());
  });
}
