import { isReportedName } from "flags-engine";
import type { FeatureUsage } from "../synced-flags.ts";

export type CountedFlag = readonly [name: string, usage: FeatureUsage];

interface Counts {
  yes: number;
  no: number;
  /** NOTE: even an empty map is large, and most flags have no variants. */
  variants: Map<string, number> | undefined;
}

/** Limit of the names of flags and variants: a program may evaluate flags whose names it gets from elsewhere. */
const MAX_NAMES = 50_000;

/**
 * Counts evaluations until they are reported. Names are keys of maps, so that `__proto__` is not special. `read` returns
 * what to report, and `remove` subtracts what was delivered; a failed delivery needs nothing.
 */
export class EvaluationCounts {
  readonly #flags = new Map<string, Counts>();
  #startMs = 0;
  #readAtMs = 0;
  #names = 0;
  #uncounted = 0;

  get isEmpty(): boolean {
    return this.#flags.size === 0;
  }

  /** Counts one evaluation. Beyond the limit, counts only that it was not counted. */
  count(name: string, enabled: boolean, variant: string | undefined): void {
    if (!this.#admits(name, variant)) {
      this.#uncounted += 1;
      return;
    }
    if (this.isEmpty) this.#startMs = Date.now();
    const counts = this.#flags.get(name) ?? { yes: 0, no: 0, variants: undefined };
    this.#flags.set(name, counts);
    counts[enabled ? "yes" : "no"] += 1;
    if (variant === undefined) return;
    counts.variants ??= new Map();
    counts.variants.set(variant, (counts.variants.get(variant) ?? 0) + 1);
  }

  #admits(name: string, variant: string | undefined): boolean {
    const counts = this.#flags.get(name);
    const isNewVariant = variant !== undefined && counts?.variants?.has(variant) !== true;
    const added = Number(counts === undefined) + Number(isNewVariant);
    if (added === 0) return true;
    if (this.#names + added > MAX_NAMES || !isReportedName(name)) return false;
    if (variant !== undefined && !isReportedName(variant)) return false;
    this.#names += added;
    return true;
  }

  read(): { readonly startMs: number; readonly flags: readonly CountedFlag[] } {
    this.#readAtMs = Date.now();
    const flags = [...this.#flags].map(([name, { yes, no, variants = [] }]): CountedFlag => {
      // NOTE: `fromEntries` defines properties, so it is safe for a variant named `__proto__`.
      return [name, { yes, no, variants: Object.fromEntries(variants) }];
    });
    return { startMs: this.#startMs, flags };
  }

  remove(flags: readonly CountedFlag[]): void {
    for (const [name, { yes, no, variants = {} }] of flags) {
      const counts = this.#flags.get(name);
      if (counts === undefined) continue;
      counts.yes -= yes;
      counts.no -= no;
      for (const [variant, count] of Object.entries(variants)) {
        const rest = (counts.variants?.get(variant) ?? 0) - count;
        if (rest > 0) counts.variants?.set(variant, rest);
        else if (counts.variants?.delete(variant) === true) this.#names -= 1;
      }
      if (counts.yes + counts.no > 0) continue;
      this.#flags.delete(name);
      this.#names -= 1;
    }
    this.#startMs = this.#readAtMs;
  }

  takeUncounted(): number {
    const uncounted = this.#uncounted;
    this.#uncounted = 0;
    return uncounted;
  }
}
