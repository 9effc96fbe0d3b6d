import { compileInSteps } from "flags-engine";
import type { CustomStrategy, FeatureDocument, Snapshot, Steps, StrategyError } from "flags-engine";
import type { BeforeChangeHook } from "../flag-source.ts";
import { HOST_NAME } from "../identity.ts";
import { describeCause } from "../transport/upstream-error.ts";

interface CompilerOptions {
  readonly strategies: readonly CustomStrategy[];
  readonly now: () => number;
  readonly random: () => number;
  /** Called for every failure of a custom strategy. */
  readonly onStrategyError: (error: StrategyError) => void;
  /** Called for the first failure of each custom strategy per snapshot. */
  readonly warn: (message: string) => void;
}

/** A parsed document, and the revision that identifies its content. */
interface CompilerInput {
  readonly document: FeatureDocument;
  readonly revision: string;
}

/** Compiles documents to snapshots, and runs the hooks on each new snapshot. */
export class Compiler {
  readonly #options: CompilerOptions;
  readonly #beforeChangeHooks = new Set<BeforeChangeHook>();

  constructor(options: CompilerOptions) {
    this.#options = options;
  }

  /** Adds a hook; returns a function that removes it. */
  addHook(hook: BeforeChangeHook): () => void {
    this.#beforeChangeHooks.add(hook);
    return () => void this.#beforeChangeHooks.delete(hook);
  }

  /** @param previous the current snapshot, whose unchanged flags are reused */
  *compile(input: CompilerInput, previous: Snapshot | undefined): Steps<Snapshot> {
    const { strategies, now, random } = this.#options;
    const snapshot = yield* compileInSteps(input.document, {
      revision: input.revision,
      strategies,
      previous,
      hostname: HOST_NAME,
      now,
      random,
      onStrategyError: this.#createErrorHandler(),
    });
    for (const hook of this.#beforeChangeHooks) yield* hook(snapshot, previous);
    return snapshot;
  }

  #createErrorHandler(): (error: StrategyError) => void {
    const { onStrategyError, warn } = this.#options;
    const warned = new Set<string>();
    return (error) => {
      onStrategyError(error);
      if (warned.has(error.strategy)) return;
      warned.add(error.strategy);
      warn(describeStrategyError(error));
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
  return remaining === 0 ? messages : [...messages, `Further problems in flags: ${remaining}`];
}
