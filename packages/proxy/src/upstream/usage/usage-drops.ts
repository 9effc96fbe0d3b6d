export type DropKind = "impact_metric" | "registration" | "rejected" | "unknown_flag" | "variant";

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
  readonly #examples = new Map<DropKind, string>();

  constructor(onDropped: (kind: DropKind, count: number) => void) {
    this.#onDropped = onDropped;
  }

  /** @param example describes the data, for the summary */
  add(kind: DropKind, count: number, example?: string): void {
    if (count === 0) return;
    if (example !== undefined && !this.#examples.has(kind)) this.#examples.set(kind, example);
    this.#counts.set(kind, (this.#counts.get(kind) ?? 0) + count);
    this.#onDropped(kind, count);
  }

  /** Logs the drops since the last call; returns whether there were any. */
  logSummary(warn: (message: string) => void): boolean {
    for (const [kind, count] of this.#counts) {
      const example = this.#examples.get(kind);
      const first = example === undefined ? "" : `. The first: ${example}`;
      warn(`Dropped ${count} ${DESCRIPTIONS[kind]}${first}`);
    }
    const hasLogged = this.#counts.size > 0;
    this.#counts.clear();
    this.#examples.clear();
    return hasLogged;
  }
}
