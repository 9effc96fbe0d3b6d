import type { ApplicationUsage } from "../flag-source.ts";
import { ApplicationCounts } from "./application-counts.ts";
import type { CountingRules, FeatureEntries } from "./application-counts.ts";
import type { BudgetShare } from "./fair-budget.ts";
import { applicationBytes } from "./limits.ts";

export interface QuotaRules extends CountingRules {
  /** Applications. */
  readonly applications: BudgetShare;
  readonly now: () => number;
}

/** What became of usage that was to be added. */
export interface Added {
  /** False: nothing was counted. */
  readonly isAccepted: boolean;
  /** Flags that were left out: the upstream did not send them, and too many others of that kind wait. */
  readonly droppedUnknown: number;
}

/** The usage of the applications that share a quota, which is that of one client key. */
export class QuotaUsage {
  readonly #applications = new Map<string, ApplicationCounts>();
  readonly #rules: QuotaRules;

  constructor(rules: QuotaRules) {
    this.#rules = rules;
  }

  get isEmpty(): boolean {
    return this.#applications.size === 0;
  }

  /** The applications with usage that is not delivered yet, in the order they are to be sent. */
  get applications(): readonly string[] {
    return [...this.#applications.keys()];
  }

  add(appName: string, startMs: number, features: FeatureEntries): Added {
    const admitted = this.#limitUnknown(appName, features);
    const isAccepted = this.#fits(appName, admitted);
    if (isAccepted) this.#merge(appName, startMs, admitted);
    return { isAccepted, droppedUnknown: isAccepted ? features.length - admitted.length : 0 };
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

  putBack({ appName, startMs, features }: ApplicationUsage): void {
    this.#merge(appName, startMs, Object.entries(features));
    const counts = this.#applications.get(appName);
    if (counts === undefined) return;
    this.#applications.delete(appName);
    this.#applications.set(appName, counts);
  }

  release({ appName, features }: ApplicationUsage): void {
    const counts = this.#applications.get(appName);
    counts?.settle(Object.keys(features));
    this.#removeIfEmpty(appName, counts);
  }

  /**
   * Leaves out unknown flags beyond their limit. A few are legitimate: flags that were just created
   * or archived, or that the proxy does not fetch. Invented names must not take the memory of others.
   */
  #limitUnknown(appName: string, features: FeatureEntries): FeatureEntries {
    const { isKnownFeature, unknown, limits } = this.#rules;
    const counts = this.#applications.get(appName);
    let free = limits.unknownFeatures - unknown.held;
    return features.filter(([name]) => {
      if (isKnownFeature(name) || counts?.has(name) === true) return true;
      free -= 1;
      return free >= 0;
    });
  }

  #fits(appName: string, features: FeatureEntries): boolean {
    const { applications, memory, limits } = this.#rules;
    const known = this.#applications.get(appName);
    if (known !== undefined) return memory.fits(known.measure(features));
    const bytes = new ApplicationCounts(0, this.#rules).measure(features);
    if (bytes === 0) return true;
    const isNameable = appName.length <= limits.nameLength && applications.fits(1);
    return isNameable && memory.fits(applicationBytes(appName) + bytes);
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
