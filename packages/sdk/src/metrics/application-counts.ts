import type { FeatureUsage } from "../flag-source.ts";
import { addCounts, toCount } from "./count.ts";
import type { BudgetShare } from "./fair-budget.ts";
import { entryBytes } from "./limits.ts";
import type { UsageLimits } from "./limits.ts";

interface FeatureCounts {
  yes: number;
  no: number;
  /** Whether it counts against the limit for flags that the upstream did not send. */
  readonly isUnknown: boolean;
  /** NOTE: maps are large even when empty, and most flags have no variants. */
  variants: Map<string, number> | undefined;
}

type Variants = NonNullable<FeatureUsage["variants"]>;

/** The usage of features by their names. */
export type FeatureEntries = readonly (readonly [name: string, usage: FeatureUsage])[];

/** What the counts of an application share with those of others under the same quota. */
export interface CountingRules {
  readonly limits: UsageLimits;
  /** Bytes of memory. */
  readonly memory: BudgetShare;
  /** Flags that the upstream did not send. */
  readonly unknown: { held: number };
  readonly isKnownFeature: (name: string) => boolean;
}

/** The counts of one application. Names live in maps, so `__proto__` is a name like any other. */
export class ApplicationCounts {
  /** Since when these counts are collected, epoch milliseconds. */
  startMs: number;
  readonly #features = new Map<string, FeatureCounts>();
  readonly #rules: CountingRules;

  constructor(startMs: number, rules: CountingRules) {
    this.startMs = startMs;
    this.#rules = rules;
  }

  get isEmpty(): boolean {
    return this.#features.size === 0;
  }

  has(feature: string): boolean {
    return this.#features.has(feature);
  }

  /** The memory that these features would add, in bytes; infinite if a limit would be exceeded. */
  measure(features: FeatureEntries): number {
    let bytes = 0;
    let added = 0;
    for (const [name, usage] of features) {
      if (countsNothing(usage)) continue;
      const known = this.#features.get(name);
      if (known === undefined) added += 1;
      bytes += this.#measureFeature(name, usage, known);
    }
    return this.#features.size + added <= this.#rules.limits.featuresPerApplication
      ? bytes
      : Infinity;
  }

  /** Adds usage, whatever the limits say. */
  add(name: string, usage: FeatureUsage): void {
    if (countsNothing(usage)) return;
    const counts = this.#features.get(name) ?? this.#create(name);
    counts.yes = addCounts(counts.yes, toCount(usage.yes));
    counts.no = addCounts(counts.no, toCount(usage.no));
    this.#addVariants(counts, usage.variants ?? {});
  }

  /**
   * Takes all counts for delivery. Zeros stay in their place, and with them the claimed memory, until
   * `settle` removes those that were not counted again.
   */
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

  /** Removes those of the named features, and their variants, that were not counted again. */
  settle(names: readonly string[]): void {
    for (const name of names) {
      const counts = this.#features.get(name);
      if (counts === undefined) continue;
      this.#settleVariants(counts);
      if (isZero(counts)) this.#remove(name, counts);
    }
  }

  #remove(name: string, { isUnknown }: FeatureCounts): void {
    const { memory, unknown } = this.#rules;
    this.#features.delete(name);
    memory.release(entryBytes(name));
    if (isUnknown) unknown.held -= 1;
  }

  #measureFeature(name: string, usage: FeatureUsage, known: FeatureCounts | undefined): number {
    if (name.length > this.#rules.limits.nameLength) return Infinity;
    const added = this.#measureVariants(usage.variants ?? {}, known?.variants);
    return added + (known === undefined ? entryBytes(name) : 0);
  }

  #measureVariants(variants: Variants, known: ReadonlyMap<string, number> | undefined): number {
    const { variantsPerFeature, nameLength } = this.#rules.limits;
    let added = 0;
    let bytes = 0;
    for (const name of Object.keys(variants)) {
      if (toCount(variants[name]) === 0 || known?.has(name) === true) continue;
      if (name.length > nameLength) return Infinity;
      added += 1;
      bytes += entryBytes(name);
    }
    return (known?.size ?? 0) + added <= variantsPerFeature ? bytes : Infinity;
  }

  #addVariants(counts: FeatureCounts, variants: Variants): void {
    for (const name of Object.keys(variants)) {
      const count = toCount(variants[name]);
      if (count === 0) continue;
      counts.variants ??= new Map();
      const known = counts.variants.get(name);
      if (known === undefined) this.#rules.memory.claim(entryBytes(name));
      counts.variants.set(name, addCounts(known ?? 0, count));
    }
  }

  #settleVariants(counts: FeatureCounts): void {
    const { variants } = counts;
    if (variants === undefined) return;
    for (const [name, count] of variants) {
      if (count === 0 && variants.delete(name)) this.#rules.memory.release(entryBytes(name));
    }
    if (variants.size === 0) counts.variants = undefined;
  }

  #create(name: string): FeatureCounts {
    const { memory, unknown, isKnownFeature } = this.#rules;
    const isUnknown = !isKnownFeature(name);
    memory.claim(entryBytes(name));
    if (isUnknown) unknown.held += 1;
    const created = { yes: 0, no: 0, isUnknown, variants: undefined };
    this.#features.set(name, created);
    return created;
  }
}

// NOTE: this and its callers run for every entry of every report, so they create no lists.
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
