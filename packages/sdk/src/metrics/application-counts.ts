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

type Variants = NonNullable<FeatureUsage["variants"]>;

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
      if (countsNothing(usage)) continue;
      const known = this.#features.get(name);
      if (known === undefined) added += 1;
      entries += this.#measureFeature(name, usage, known);
    }
    return this.#features.size + added <= this.#limits.featuresPerApplication ? entries : Infinity;
  }

  /** Adds usage, whatever the limits say. */
  add(name: string, usage: FeatureUsage): void {
    if (countsNothing(usage)) return;
    const counts = this.#features.get(name) ?? this.#create(name);
    counts.yes = addCounts(counts.yes, toCount(usage.yes));
    counts.no = addCounts(counts.no, toCount(usage.no));
    this.#addVariants(counts, usage.variants ?? {});
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

  #measureFeature(name: string, usage: FeatureUsage, known: FeatureCounts | undefined): number {
    if (name.length > this.#limits.nameLength) return Infinity;
    const added = this.#measureVariants(usage.variants ?? {}, known?.variants);
    return added + (known === undefined ? 1 : 0);
  }

  #measureVariants(variants: Variants, known: ReadonlyMap<string, number> | undefined): number {
    const { variantsPerFeature, nameLength } = this.#limits;
    let added = 0;
    for (const name of Object.keys(variants)) {
      if (toCount(variants[name]) === 0 || known?.has(name) === true) continue;
      if (name.length > nameLength) return Infinity;
      added += 1;
    }
    return (known?.size ?? 0) + added <= variantsPerFeature ? added : Infinity;
  }

  #addVariants(counts: FeatureCounts, variants: Variants): void {
    for (const name of Object.keys(variants)) {
      const count = toCount(variants[name]);
      if (count === 0) continue;
      counts.variants ??= new Map();
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

// NOTE: this and what calls it run for every entry of every report, so they make no lists of entries.
function countsNothing({ yes, no, variants }: FeatureUsage): boolean {
  if (toCount(yes) > 0 || toCount(no) > 0) return false;
  return Object.values(variants ?? {}).every((count) => toCount(count) === 0);
}

function isZero({ yes, no, variants }: FeatureCounts): boolean {
  return yes === 0 && no === 0 && [...(variants?.values() ?? [])].every((count) => count === 0);
}

function toUsage({ yes, no, variants }: FeatureCounts): FeatureUsage {
  const counted = [...(variants ?? [])].filter(([, count]) => count > 0);
  // NOTE: `fromEntries` defines properties, so a variant named `__proto__` is one of them.
  return { yes, no, variants: Object.fromEntries(counted) };
}
