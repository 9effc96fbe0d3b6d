import type { FeatureUsage } from "../flag-source.ts";
import { addCounts, toCount } from "./count.ts";
import type { EntryBudget } from "./entry-budget.ts";
import type { UsageLimits } from "./limits.ts";

interface FeatureCounts {
  yes: number;
  no: number;
  /** NOTE: maps are large even when empty, and most flags have no variants. */
  variants: Map<string, number> | undefined;
}

/** Usage as it was sent, without what counts nothing. */
interface Counted {
  readonly yes: number;
  readonly no: number;
  readonly variants: readonly (readonly [name: string, count: number])[];
}

/** The usage of features by their names. */
export type FeatureEntries = readonly (readonly [name: string, usage: FeatureUsage])[];

/** The counts of one application. Names live in maps, so `__proto__` is a name like any other. */
export class ApplicationCounts {
  /** Since when the counts are held, epoch milliseconds. */
  startMs: number;
  readonly #features = new Map<string, FeatureCounts>();
  readonly #limits: UsageLimits;
  readonly #budget: EntryBudget;

  constructor(startMs: number, limits: UsageLimits, budget: EntryBudget) {
    this.startMs = startMs;
    this.#limits = limits;
    this.#budget = budget;
  }

  get isEmpty(): boolean {
    return this.#features.size === 0;
  }

  /** How many entries these features would add; infinite when one limit would be exceeded. */
  measure(features: FeatureEntries): number {
    let entries = 0;
    let added = 0;
    for (const [name, usage] of features) {
      const counted = toCounted(usage);
      if (counted === undefined) continue;
      const known = this.#features.get(name);
      if (known === undefined) added += 1;
      entries += this.#measureFeature(name, counted, known);
    }
    return this.#features.size + added <= this.#limits.featuresPerApplication ? entries : Infinity;
  }

  /** Adds usage, whatever the limits say. */
  add(name: string, usage: FeatureUsage): void {
    const counted = toCounted(usage);
    if (counted === undefined) return;
    const counts = this.#features.get(name) ?? this.#create(name);
    counts.yes = addCounts(counts.yes, counted.yes);
    counts.no = addCounts(counts.no, counted.no);
    if (counted.variants.length > 0) this.#addVariants(counts, counted);
  }

  /** Takes all counts, leaving zeros in their place until `settle` clears those still unused. */
  take(): Record<string, FeatureUsage> {
    const taken: [string, FeatureUsage][] = [];
    for (const [name, counts] of this.#features) {
      if (isZero(counts)) continue;
      taken.push([name, toUsage(counts)]);
      counts.yes = 0;
      counts.no = 0;
      for (const variant of counts.variants?.keys() ?? []) counts.variants?.set(variant, 0);
    }
    return Object.fromEntries(taken);
  }

  /** Forgets of the features named, and of their variants, those not counted again. */
  settle(names: readonly string[]): void {
    for (const name of names) {
      const counts = this.#features.get(name);
      if (counts === undefined) continue;
      this.#settleVariants(counts);
      if (isZero(counts) && this.#features.delete(name)) this.#budget.free(1);
    }
  }

  #measureFeature(name: string, counted: Counted, known: FeatureCounts | undefined): number {
    const { variantsPerFeature, nameLength } = this.#limits;
    const variants = counted.variants.filter(([variant]) => known?.variants?.has(variant) !== true);
    const total = (known?.variants?.size ?? 0) + variants.length;
    const isTooLong = (text: string): boolean => text.length > nameLength;
    if (total > variantsPerFeature || isTooLong(name)) return Infinity;
    if (variants.some(([variant]) => isTooLong(variant))) return Infinity;
    return variants.length + (known === undefined ? 1 : 0);
  }

  #addVariants(counts: FeatureCounts, { variants }: Counted): void {
    counts.variants ??= new Map();
    for (const [name, count] of variants) {
      const known = counts.variants.get(name);
      if (known === undefined) this.#budget.claim();
      counts.variants.set(name, addCounts(known ?? 0, count));
    }
  }

  #settleVariants(counts: FeatureCounts): void {
    const { variants } = counts;
    if (variants === undefined) return;
    for (const [name, count] of variants) {
      if (count === 0 && variants.delete(name)) this.#budget.free(1);
    }
    if (variants.size === 0) counts.variants = undefined;
  }

  #create(name: string): FeatureCounts {
    this.#budget.claim();
    const created = { yes: 0, no: 0, variants: undefined };
    this.#features.set(name, created);
    return created;
  }
}

function toCounted(usage: FeatureUsage): Counted | undefined {
  const yes = toCount(usage.yes);
  const no = toCount(usage.no);
  const variants = Object.entries(usage.variants ?? {})
    .map(([name, count]) => [name, toCount(count)] as const)
    .filter(([, count]) => count > 0);
  return yes === 0 && no === 0 && variants.length === 0 ? undefined : { yes, no, variants };
}

function isZero({ yes, no, variants }: FeatureCounts): boolean {
  return yes === 0 && no === 0 && [...(variants?.values() ?? [])].every((count) => count === 0);
}

function toUsage({ yes, no, variants }: FeatureCounts): FeatureUsage {
  const counted = [...(variants ?? [])].filter(([, count]) => count > 0);
  // NOTE: `fromEntries` defines properties, so a variant named `__proto__` is one of them.
  return { yes, no, variants: Object.fromEntries(counted) };
}
