import type { DropKind } from "../events.ts";

const DESCRIPTIONS: Readonly<Record<DropKind, string>> = {
  impact_metric: "samples of impact metrics, beyond a limit or rejected",
  registration: "registrations of applications, beyond a limit or rejected",
  rejected: "usage of flags, in reports that the upstream rejected",
  unknown_flag: "usage of flags that the upstream did not send, beyond a limit",
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
      warn(`Not sent to the upstream: ${DESCRIPTIONS[kind]}, ${count}`);
    }
    const hasLogged = this.#counts.size > 0;
    this.#counts.clear();
    return hasLogged;
  }
}
