import { compileInSteps } from "flags-engine";
import type { CustomStrategy, FeatureDocument, Snapshot, Steps, StrategyError } from "flags-engine";
import { describeCount } from "../describe-count.ts";
import type { Emitter, FlagsClientEvents } from "../events.ts";
import type { BeforeChangeHook } from "../synced-flags.ts";
import { describeCause } from "../transport/upstream-error.ts";

interface CompilerInput {
  readonly document: FeatureDocument;
  readonly revision: string;
}

/** Compiles documents to snapshots, and runs the hooks on each new snapshot. */
export class Compiler {
  readonly #strategies: readonly CustomStrategy[];
  readonly #emitter: Pick<Emitter<FlagsClientEvents>, "emit">;
  readonly #hostname: string;
  readonly #beforeChangeHooks = new Set<BeforeChangeHook>();

  /** @param hostname for the strategy `applicationHostname`; empty if the runtime has none */
  constructor(
    strategies: readonly CustomStrategy[],
    emitter: Pick<Emitter<FlagsClientEvents>, "emit">,
    hostname: string,
  ) {
    this.#strategies = strategies;
    this.#emitter = emitter;
    this.#hostname = hostname;
  }

  addHook(hook: BeforeChangeHook): () => void {
    this.#beforeChangeHooks.add(hook);
    return () => void this.#beforeChangeHooks.delete(hook);
  }

  /** @param previous the current snapshot, whose unchanged flags are reused */
  *compile(input: CompilerInput, previous: Snapshot | undefined): Steps<Snapshot> {
    const snapshot = yield* compileInSteps(input.document, {
      revision: input.revision,
      strategies: this.#strategies,
      previous,
      hostname: this.#hostname,
      now: Date.now,
      random: Math.random,
      onStrategyError: this.#createErrorHandler(),
    });
    for (const hook of this.#beforeChangeHooks) yield* hook(snapshot, previous);
    return snapshot;
  }

  /** Each failure is a `strategyError`, and a `warn` the first time per strategy and snapshot. */
  #createErrorHandler(): (error: StrategyError) => void {
    const warned = new Set<string>();
    return (error) => {
      this.#emitter.emit("strategyError", error);
      if (warned.has(error.strategy)) return;
      warned.add(error.strategy);
      this.#emitter.emit("warn", describeStrategyError(error));
    };
  }
}

function describeStrategyError({ strategy, flag, cause }: StrategyError): string {
  const subject = `Strategy ${JSON.stringify(strategy)} of flag ${JSON.stringify(flag)}`;
  return `${subject} failed and does not match: ${describeCause(cause)}`;
}

const MAX_MESSAGES = 20;

/** Returns messages about invalid parts of a document; beyond 20, only their number. */
export function describeDiagnostics({ diagnostics }: Snapshot): readonly string[] {
  const messages = diagnostics
    .slice(0, MAX_MESSAGES)
    .map(({ subject, message }) => `${subject}: ${message}`);
  const remaining = diagnostics.length - messages.length;
  return remaining === 0
    ? messages
    : [...messages, `${describeCount(remaining, "more problem")} in flags`];
}
