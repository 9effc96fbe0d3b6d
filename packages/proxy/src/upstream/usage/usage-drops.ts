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
  readonly #pending = new Map<DropKind, { count: number; example: string | undefined }>();

  constructor(onDropped: (kind: DropKind, count: number) => void) {
    this.#onDropped = onDropped;
  }

  /** @param example describes the data, for the summary */
  add(kind: DropKind, count: number, example?: string): void {
    if (count === 0) return;
    const pending = this.#pending.get(kind);
    this.#pending.set(kind, {
      count: (pending?.count ?? 0) + count,
      example: pending?.example ?? example,
    });
    this.#onDropped(kind, count);
  }

  /** Logs the drops since the last call; returns whether there were any. */
  logSummary(warn: (message: string) => void): boolean {
    for (const [kind, { count, example }] of this.#pending) {
      const first = example === undefined ? "" : `. The first: ${example}`;
      warn(`Dropped ${count} ${DESCRIPTIONS[kind]}${first}`);
    }
    const hasLogged = this.#pending.size > 0;
    this.#pending.clear();
    return hasLogged;
  }
}
