import type { FaultSink } from "../events/fault-log.ts";

/** What can be dropped instead of being sent to the upstream. */
export type DropKind = "impact_metric" | "registration" | "rejected" | "unknown_flag";

const NAMES: Readonly<Record<DropKind, string>> = {
  impact_metric: "samples of impact metrics, beyond a limit or rejected",
  registration: "registrations of applications, beyond a limit or rejected",
  rejected: "usage of flags, in reports that the upstream rejected",
  unknown_flag: "usage of flags that the upstream did not send, beyond a limit",
};

/** Counts what is dropped, and warns of it from time to time. */
export class UsageDrops {
  readonly #onDropped: (kind: DropKind, count: number) => void;
  readonly #counts = new Map<DropKind, number>();

  constructor(onDropped: (kind: DropKind, count: number) => void) {
    this.#onDropped = onDropped;
  }

  note(kind: DropKind, count: number): void {
    if (count === 0) return;
    this.#counts.set(kind, (this.#counts.get(kind) ?? 0) + count);
    this.#onDropped(kind, count);
  }

  /** Warns of what was dropped since the last warning; returns whether there was anything. */
  warn(faults: Pick<FaultSink, "warn">): boolean {
    for (const [kind, count] of this.#counts) {
      faults.warn(`Not sent to the upstream: ${NAMES[kind]}, ${count}`);
    }
    const hasWarned = this.#counts.size > 0;
    this.#counts.clear();
    return hasWarned;
  }
}
