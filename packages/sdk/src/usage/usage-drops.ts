import type { DropKind } from "../events.ts";

const DESCRIPTIONS: Readonly<Record<DropKind, string>> = {
  impact_metric: "samples of impact metrics, which exceed a limit or were rejected",
  registration: "registrations of applications, which exceed a limit or were rejected",
  rejected: "evaluations of flags, in reports that the upstream rejected",
  unknown_flag:
    "evaluations of flags that the upstream did not send, because too many unknown names were reported",
  variant: "variants of evaluations, because too many variants of their flags were reported",
};

/** Counts dropped data, and summarizes it in warnings. */
export class UsageDrops {
  readonly #onDropped: (kind: DropKind, count: number) => void;
  readonly #counts = new Map<DropKind, number>();

  constructor(onDropped: (kind: DropKind, count: number) => void) {
    this.#onDropped = onDropped;
  }

  add(kind: DropKind, count: number): void {
    if (count === 0) return;
    this.#counts.set(kind, (this.#counts.get(kind) ?? 0) + count);
    this.#onDropped(kind, count);
  }

  /** Logs the drops since the last call; returns whether there were any. */
  logSummary(warn: (message: string) => void): boolean {
    for (const [kind, count] of this.#counts) {
      warn(`Dropped ${count} ${DESCRIPTIONS[kind]}`);
    }
    const hasLogged = this.#counts.size > 0;
    this.#counts.clear();
    return hasLogged;
  }
}
