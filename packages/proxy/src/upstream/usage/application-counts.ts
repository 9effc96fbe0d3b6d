import { isReportedName } from "flags-engine";
import type { FeatureUsage } from "flags-sdk";
import type { BudgetShare, UsageLimits } from "./usage-limits.ts";
import type { IsKnown } from "./known-names.ts";
import { entryBytes } from "./usage-limits.ts";

interface FeatureCounts {
  yes: number;
  no: number;
  /** Whether it counts against the limit for flags that the upstream did not send. */
  readonly isUnknown: boolean;
  /** NOTE: even an empty map is large, and most flags have no variants. */
  variants: Map<string, number> | undefined;
}

type Variants = NonNullable<FeatureUsage["variants"]>;

/** Usage by flag name. */
export type FeatureEntries = readonly (readonly [name: string, usage: FeatureUsage])[];

/** Limits that an application shares with the others of its quota. */
export interface CountingRules {
  readonly limits: UsageLimits;
  /** Bytes of memory. */
  readonly memory: BudgetShare;
  /** Number of flags that the upstream did not send. */
  readonly unknown: { count: number };
  readonly isKnown: IsKnown;
}

/** The counts of one application. Names are keys of maps, so that `__proto__` is not special. */
export class ApplicationCounts {
  /** Start of the period of these counts, epoch milliseconds. */
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

  /**
   * Returns the usage of a flag without the unknown variants beyond their limit. Clients can invent names, and
   * must not cause other clients' reports to be rejected or omitted.
   */
  limitVariants(name: string, usage: FeatureUsage): FeatureUsage {
    const { variants } = usage;
    if (variants === undefined) return usage;
    const existing = this.#features.get(name)?.variants;
    const count = Object.keys(variants).length;
    const { isKnown, limits } = this.#rules;
    if (count + (existing?.size ?? 0) <= limits.variantsPerFeature) return usage;
    const unknown = [...(existing?.keys() ?? [])].filter((variant) => !isKnown(name, variant));
    let free = limits.variantsPerFeature - unknown.length;
    const admitted = Object.entries(variants).filter(([variant]) => {
      if (existing?.has(variant) === true || isKnown(name, variant)) return true;
      free -= 1;
      return free >= 0;
    });
    if (admitted.length === count) return usage;
    // NOTE: `fromEntries` defines properties, so it is safe for a variant named `__proto__`.
    return { ...usage, variants: Object.fromEntries(admitted) };
  }

  /** Returns the bytes of memory that adding this usage would require; `Infinity` if a limit is exceeded. */
  measure(features: FeatureEntries): number {
    let bytes = 0;
    let added = 0;
    for (const [name, usage] of features) {
      if (isNothingCounted(usage)) continue;
      const existing = this.#features.get(name);
      if (existing === undefined) added += 1;
      bytes += this.#measureFeature(name, usage, existing);
    }
    return this.#features.size + added <= this.#rules.limits.featuresPerApplication
      ? bytes
      : Infinity;
  }

  /** Adds usage without checking limits. */
  add(name: string, usage: FeatureUsage): void {
    if (isNothingCounted(usage)) return;
    const counts = this.#features.get(name) ?? this.#create(name);
    counts.yes = addCounts(counts.yes, toCount(usage.yes));
    counts.no = addCounts(counts.no, toCount(usage.no));
    this.#addVariants(counts, usage.variants ?? {});
  }

  /** Returns all counts. */
  read(): Record<string, FeatureUsage> {
    const counted = [...this.#features].filter(([, counts]) => !isZero(counts));
    return Object.fromEntries(counted.map(([name, counts]) => [name, toUsage(counts)]));
  }

  /**
   * Returns all counts and resets them to zero. The entries stay, and their memory stays claimed,
   * until `removeUnused` removes those that were not counted again.
   */
  take(): Record<string, FeatureUsage> {
    const taken = this.read();
    for (const counts of this.#features.values()) {
      counts.yes = 0;
      counts.no = 0;
      for (const variant of counts.variants?.keys() ?? []) counts.variants?.set(variant, 0);
    }
    return taken;
  }

  /** Removes those of the named flags, and their variants, whose counts are zero. */
  removeUnused(names: readonly string[]): void {
    for (const name of names) {
      const counts = this.#features.get(name);
      if (counts === undefined) continue;
      this.#removeUnusedVariants(counts);
      if (isZero(counts)) this.#remove(name, counts);
    }
  }

  #remove(name: string, { isUnknown }: FeatureCounts): void {
    const { memory, unknown } = this.#rules;
    this.#features.delete(name);
    memory.release(entryBytes(name));
    if (isUnknown) unknown.count -= 1;
  }

  #measureFeature(name: string, usage: FeatureUsage, existing: FeatureCounts | undefined): number {
    if (!isReportedName(name)) return Infinity;
    const variantBytes = this.#measureVariants(usage.variants ?? {}, existing?.variants);
    return variantBytes + (existing === undefined ? entryBytes(name) : 0);
  }

  #measureVariants(variants: Variants, existing: ReadonlyMap<string, number> | undefined): number {
    let bytes = 0;
    for (const name of Object.keys(variants)) {
      if (toCount(variants[name]) === 0 || existing?.has(name) === true) continue;
      if (!isReportedName(name)) return Infinity;
      bytes += entryBytes(name);
    }
    return bytes;
  }

  #addVariants(counts: FeatureCounts, variants: Variants): void {
    for (const name of Object.keys(variants)) {
      const count = toCount(variants[name]);
      if (count === 0) continue;
      counts.variants ??= new Map();
      const previous = counts.variants.get(name);
      if (previous === undefined) this.#rules.memory.claim(entryBytes(name));
      counts.variants.set(name, addCounts(previous ?? 0, count));
    }
  }

  #removeUnusedVariants(counts: FeatureCounts): void {
    const { variants } = counts;
    if (variants === undefined) return;
    for (const [name, count] of variants) {
      if (count === 0 && variants.delete(name)) this.#rules.memory.release(entryBytes(name));
    }
    if (variants.size === 0) counts.variants = undefined;
  }

  #create(name: string): FeatureCounts {
    const { memory, unknown, isKnown } = this.#rules;
    const isUnknown = !isKnown(name);
    memory.claim(entryBytes(name));
    if (isUnknown) unknown.count += 1;
    const created = { yes: 0, no: 0, isUnknown, variants: undefined };
    this.#features.set(name, created);
    return created;
  }
}

// NOTE: this and its callers run for every entry of every report, so they create no arrays.
function isNothingCounted({ yes, no, variants }: FeatureUsage): boolean {
  if (toCount(yes) > 0 || toCount(no) > 0) return false;
  return Object.values(variants ?? {}).every((count) => toCount(count) === 0);
}

function isZero({ yes, no, variants }: FeatureCounts): boolean {
  return yes === 0 && no === 0 && [...(variants?.values() ?? [])].every((count) => count === 0);
}

function toUsage({ yes, no, variants }: FeatureCounts): FeatureUsage {
  const counted = [...(variants ?? [])].filter(([, count]) => count > 0);
  // NOTE: `fromEntries` defines properties, so it is safe for a variant named `__proto__`.
  return { yes, no, variants: Object.fromEntries(counted) };
}

/** Adds two counts, saturating at the largest exact integer. */
export function addCounts(a: number, b: number): number {
  return Math.min(a + b, Number.MAX_SAFE_INTEGER);
}

/** Converts a reported count; anything but a positive integer counts as 0. */
export function toCount(value: unknown): number {
  if (!Number.isInteger(value)) return 0;
  return Math.min(Math.max(Number(value), 0), Number.MAX_SAFE_INTEGER);
}
