import { compileInSteps } from "flags-engine";
import type { CustomStrategy, Snapshot, Steps, StrategyError } from "flags-engine";
import { HOST_NAME } from "../identity.ts";
import { describeCause } from "../transport/upstream-error.ts";
import type { CheckedDocument } from "./definitions.ts";

export interface CompilerOptions {
  readonly strategies: readonly CustomStrategy[];
  /** The snapshot in force. */
  readonly former: Snapshot | undefined;
  readonly now: () => number;
  readonly random: () => number;
  readonly onStrategyError: (error: StrategyError) => void;
  readonly warn: (message: string) => void;
}

/** Compiles a document; a custom strategy that fails is warned of once for each snapshot. */
export function compile(checked: CheckedDocument, options: CompilerOptions): Steps<Snapshot> {
  const { strategies, former, now, random, onStrategyError, warn } = options;
  const warned = new Set<string>();
  const report = (error: StrategyError): void => {
    onStrategyError(error);
    if (warned.has(error.strategy)) return;
    warned.add(error.strategy);
    warn(describeStrategyError(error));
  };
  return compileInSteps(checked.document, {
    revision: checked.revision,
    strategies,
    previous: former,
    hostname: HOST_NAME,
    now,
    random,
    onStrategyError: report,
  });
}

function describeStrategyError({ strategy, flag, cause }: StrategyError): string {
  const subject = `Strategy ${JSON.stringify(strategy)} of flag ${JSON.stringify(flag)}`;
  return `${subject} failed and does not match: ${describeCause(cause)}`;
}

const MAX_TOLD = 20;

/** What was found wrong in a document, as messages; the rest of a long list is only counted. */
export function describeDiagnostics({ diagnostics }: Snapshot): readonly string[] {
  const told = diagnostics
    .slice(0, MAX_TOLD)
    .map(({ subject, message }) => `${subject}: ${message}`);
  const rest = diagnostics.length - told.length;
  return rest === 0 ? told : [...told, `The document has more that is odd, findings: ${rest}`];
}
