import { isReportedName } from "flags-engine";
import type { FeatureUsage } from "../synced-flags.ts";

/** The name of a flag, and how often it was on and off. */
export type CountedFlag = readonly [name: string, usage: FeatureUsage];

interface Counts {
  yes: number;
  no: number;
  /** NOTE: even an empty map is large, and most flags have no variants. */
  variants: Map<string, number> | undefined;
}

/** Limit of the names of flags and variants: a program may evaluate flags whose names it gets from elsewhere. */
const MAX_NAMES = 50_000;

/** Counts evaluations until they are reported. Names are keys of maps, so that `__proto__` is not special. */
export class EvaluationCounts {
  readonly #now: () => number;
  #startMs: number;
  #flags = new Map<string, Counts>();
  #names = 0;
  #uncounted = 0;

  constructor(now: () => number) {
    this.#now = now;
    this.#startMs = now();
  }

  get isEmpty(): boolean {
    return this.#flags.size === 0;
  }

  /** Counts one evaluation. Beyond the limit, counts only that it was not counted. */
  count(name: string, enabled: boolean, variant: string | undefined): void {
    const added = this.#missing(name, variant);
    const isValid = isReportedName(name) && (variant === undefined || isReportedName(variant));
    if (added > 0 && (!isValid || this.#names + added > MAX_NAMES)) {
      this.#uncounted += 1;
      return;
    }
    if (this.isEmpty) this.#startMs = this.#now();
    this.#add(name, Number(enabled), Number(!enabled));
    if (variant !== undefined) this.#addVariant(name, variant, 1);
  }

  /** Returns all counts, and resets them. */
  take(): { readonly startMs: number; readonly flags: readonly CountedFlag[] } {
    const flags = [...this.#flags].map(([name, { yes, no, variants = [] }]): CountedFlag => {
      // NOTE: `fromEntries` defines properties, so it is safe for a variant named `__proto__`.
      return [name, { yes, no, variants: Object.fromEntries(variants) }];
    });
    this.#flags = new Map();
    this.#names = 0;
    return { startMs: this.#startMs, flags };
  }

  /** Adds counts that could not be reported, regardless of the limit. */
  putBack(startMs: number, flags: readonly CountedFlag[]): void {
    if (flags.length > 0) this.#startMs = startMs;
    for (const [name, { yes, no, variants = {} }] of flags) {
      this.#add(name, yes, no);
      for (const [variant, count] of Object.entries(variants)) {
        this.#addVariant(name, variant, count);
      }
    }
  }

  /** Returns how many evaluations were not counted since the last call. */
  takeUncounted(): number {
    const uncounted = this.#uncounted;
    this.#uncounted = 0;
    return uncounted;
  }

  #missing(name: string, variant: string | undefined): number {
    const counts = this.#flags.get(name);
    const isNewVariant = variant !== undefined && counts?.variants?.has(variant) !== true;
    return Number(counts === undefined) + Number(isNewVariant);
  }

  #add(name: string, yes: number, no: number): void {
    const counts = this.#flags.get(name);
    if (counts === undefined) {
      this.#flags.set(name, { yes, no, variants: undefined });
      this.#names += 1;
      return;
    }
    counts.yes += yes;
    counts.no += no;
  }

  #addVariant(name: string, variant: string, count: number): void {
    const counts = this.#flags.get(name);
    if (counts === undefined) return;
    counts.variants ??= new Map();
    const previous = counts.variants.get(variant);
    if (previous === undefined) this.#names += 1;
    counts.variants.set(variant, (previous ?? 0) + count);
  }
}
