import type { FeatureUsage } from "../flag-source.ts";
import { addCounts, toCount } from "./count.ts";
import type { EntryBudget } from "./entry-budget.ts";
import type { UsageLimits } from "./limits.ts";

interface FeatureCounts {
  yes: number;
  no: number;
  readonly variants: Map<string, number>;
}

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

  add(name: string, usage: FeatureUsage): void {
    const yes = toCount(usage.yes);
    const no = toCount(usage.no);
    const variants = Object.entries(usage.variants ?? {}).filter(([, count]) => toCount(count) > 0);
    if (yes === 0 && no === 0 && variants.length === 0) return;
    const counts = this.#ensure(name);
    if (counts === undefined) return;
    counts.yes = addCounts(counts.yes, yes);
    counts.no = addCounts(counts.no, no);
    for (const [variant, count] of variants) this.#addVariant(counts, variant, toCount(count));
  }

  /** Takes all counts, leaving zeros in their place until `settle` clears those still unused. */
  take(): Record<string, FeatureUsage> {
    const taken: [string, FeatureUsage][] = [];
    for (const [name, counts] of this.#features) {
      if (isZero(counts)) continue;
      taken.push([name, toUsage(counts)]);
      counts.yes = 0;
      counts.no = 0;
      for (const variant of counts.variants.keys()) counts.variants.set(variant, 0);
    }
    return Object.fromEntries(taken);
  }

  /** Forgets the features named that have not been counted again. */
  settle(names: readonly string[]): void {
    for (const name of names) {
      const counts = this.#features.get(name);
      if (counts === undefined || !isZero(counts)) continue;
      this.#features.delete(name);
      this.#budget.free(1 + counts.variants.size);
    }
  }

  #ensure(name: string): FeatureCounts | undefined {
    const known = this.#features.get(name);
    if (known !== undefined) return known;
    const { featuresPerApplication, nameLength } = this.#limits;
    const fits = this.#features.size < featuresPerApplication && name.length <= nameLength;
    if (!this.#budget.claim(fits)) return undefined;
    const created = { yes: 0, no: 0, variants: new Map<string, number>() };
    this.#features.set(name, created);
    return created;
  }

  #addVariant({ variants }: FeatureCounts, name: string, count: number): void {
    const known = variants.get(name);
    const { variantsPerFeature, nameLength } = this.#limits;
    const fits = variants.size < variantsPerFeature && name.length <= nameLength;
    if (known === undefined && !this.#budget.claim(fits)) return;
    variants.set(name, addCounts(known ?? 0, count));
  }
}

function isZero({ yes, no, variants }: FeatureCounts): boolean {
  return yes === 0 && no === 0 && [...variants.values()].every((count) => count === 0);
}

function toUsage({ yes, no, variants }: FeatureCounts): FeatureUsage {
  const counted = [...variants].filter(([, count]) => count > 0);
  // NOTE: `fromEntries` defines properties, so a variant named `__proto__` is one of them.
  return { yes, no, variants: Object.fromEntries(counted) };
}
