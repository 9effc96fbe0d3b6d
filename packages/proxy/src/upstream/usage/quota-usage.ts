import { isReportedName } from "flags-engine";
import type { ApplicationUsage } from "./application-usage.ts";
import { ApplicationCounts } from "./application-counts.ts";
import type { CountingRules, FeatureEntries } from "./application-counts.ts";
import type { BudgetShare } from "./usage-limits.ts";
import { applicationBytes, OTHER_APPLICATIONS } from "./usage-limits.ts";

/** What was counted of a report, and what was omitted. */
export interface CountedUsage {
  readonly features: FeatureEntries;
  /** Number of unknown flags that were omitted. */
  readonly unknownCount: number;
  /** Number of flags whose variants were omitted. */
  readonly limitedCount: number;
}

interface QuotaRules extends CountingRules {
  /** Number of applications. */
  readonly applications: BudgetShare;
  readonly now: () => number;
}

/** The usage of the applications of one quota. */
export class QuotaUsage {
  readonly #applications = new Map<string, ApplicationCounts>();
  readonly #rules: QuotaRules;

  constructor(rules: QuotaRules) {
    this.#rules = rules;
  }

  get isEmpty(): boolean {
    return this.#applications.size === 0;
  }

  /** The applications with pending usage, in the order in which it will be sent. */
  get applications(): readonly string[] {
    return [...this.#applications.keys()];
  }

  /**
   * Counts everything but the unknown flags and variants beyond their limits. Returns undefined, and
   * counts nothing, if another limit is exceeded.
   */
  add(appName: string, startMs: number, features: FeatureEntries): CountedUsage | undefined {
    const known = this.#limitUnknown(appName, features);
    const unknownCount = features.length - known.length;
    const admitted = this.#limitVariants(appName, known);
    if (!this.#fits(appName, admitted.features)) return undefined;
    this.#merge(appName, startMs, admitted.features);
    return { ...admitted, unknownCount };
  }

  /**
   * Counts usage of known flags without the name of its application. Its memory depends only on how many flags and
   * variants are known, so it may exceed the share of this quota. Returns false, and counts nothing, if nothing is free.
   */
  addToOthers(startMs: number, features: FeatureEntries): boolean {
    const { memory } = this.#rules;
    const counts = this.#applications.get(OTHER_APPLICATIONS);
    const bytes =
      counts?.measure(features) ??
      applicationBytes(OTHER_APPLICATIONS) +
        new ApplicationCounts(0, this.#rules).measure(features);
    if (!memory.fitsBeyondShare(bytes)) return false;
    this.#merge(OTHER_APPLICATIONS, startMs, features);
    return true;
  }

  take(appName: string): Omit<ApplicationUsage, "quotaId"> | undefined {
    const counts = this.#applications.get(appName);
    if (counts === undefined) return undefined;
    const { startMs } = counts;
    const features = counts.take();
    if (Object.keys(features).length === 0) return undefined;
    counts.startMs = this.#rules.now();
    return { appName, startMs, features };
  }

  /** Returns the usage that is pending, without taking it; undefined if there is none. */
  get(appName: string): Omit<ApplicationUsage, "quotaId"> | undefined {
    const counts = this.#applications.get(appName);
    const features = counts?.read() ?? {};
    if (counts === undefined || Object.keys(features).length === 0) return undefined;
    return { appName, startMs: counts.startMs, features };
  }

  /** Adds usage regardless of limits; moves its application to the end of the order. */
  putBack({ appName, startMs, features }: ApplicationUsage): void {
    this.#merge(appName, startMs, Object.entries(features));
    const counts = this.#applications.get(appName);
    if (counts === undefined) return;
    this.#applications.delete(appName);
    this.#applications.set(appName, counts);
  }

  /** Frees the memory of usage that was taken and delivered. */
  release({ appName, features }: ApplicationUsage): void {
    const counts = this.#applications.get(appName);
    counts?.removeUnused(Object.keys(features));
    this.#removeIfEmpty(appName, counts);
  }

  /**
   * Omits unknown flags beyond their limit. Some unknown flags are legitimate: those just created or archived,
   * and those that the proxy does not fetch. But invented names must not exhaust the memory.
   */
  #limitUnknown(appName: string, features: FeatureEntries): FeatureEntries {
    const { isKnown, unknown, limits } = this.#rules;
    const counts = this.#applications.get(appName);
    let free = limits.unknownFeatures - unknown.count;
    return features.filter(([name]) => {
      if (isKnown(name) || counts?.has(name) === true) return true;
      free -= 1;
      return free >= 0;
    });
  }

  #limitVariants(appName: string, features: FeatureEntries): Omit<CountedUsage, "unknownCount"> {
    const counts = this.#applications.get(appName) ?? new ApplicationCounts(0, this.#rules);
    let limitedCount = 0;
    const limited = features.map((entry) => {
      const [name, usage] = entry;
      const admitted = counts.limitVariants(name, usage);
      if (admitted === usage) return entry;
      limitedCount += 1;
      return [name, admitted] as const;
    });
    return { features: limited, limitedCount };
  }

  #fits(appName: string, features: FeatureEntries): boolean {
    const { applications, memory } = this.#rules;
    const counts = this.#applications.get(appName);
    if (counts !== undefined) return memory.fits(counts.measure(features));
    const bytes = new ApplicationCounts(0, this.#rules).measure(features);
    if (bytes === 0) return true;
    const canAddApplication = isReportedName(appName) && applications.fits(1);
    return canAddApplication && memory.fits(applicationBytes(appName) + bytes);
  }

  #merge(appName: string, startMs: number, features: FeatureEntries): void {
    const nowMs = this.#rules.now();
    const sinceMs = startMs >= 0 && startMs <= nowMs ? startMs : nowMs;
    const counts = this.#applications.get(appName) ?? this.#create(appName, sinceMs);
    counts.startMs = Math.min(counts.startMs, sinceMs);
    for (const [name, feature] of features) counts.add(name, feature);
    this.#removeIfEmpty(appName, counts);
  }

  #create(appName: string, sinceMs: number): ApplicationCounts {
    const { applications, memory } = this.#rules;
    applications.claim(1);
    memory.claim(applicationBytes(appName));
    const created = new ApplicationCounts(sinceMs, this.#rules);
    this.#applications.set(appName, created);
    return created;
  }

  #removeIfEmpty(appName: string, counts: ApplicationCounts | undefined): void {
    if (counts === undefined || !counts.isEmpty) return;
    const { applications, memory } = this.#rules;
    this.#applications.delete(appName);
    applications.release(1);
    memory.release(applicationBytes(appName));
  }
}
