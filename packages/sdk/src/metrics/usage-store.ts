import type { ApplicationUsage, FeatureUsage } from "../flag-source.ts";
import type { FeatureEntries } from "./application-counts.ts";
import { FairBudget } from "./fair-budget.ts";
import type { UsageLimits } from "./limits.ts";
import { USAGE_LIMITS } from "./limits.ts";
import { QuotaUsage } from "./quota-usage.ts";

export interface UsageStoreOptions {
  readonly now: () => number;
  /** @default USAGE_LIMITS */
  readonly limits?: UsageLimits;
  /** Shared with others that keep reports in memory. @default a budget of its own */
  readonly memory?: FairBudget;
  /** Whether the upstream sent a flag of this name. @default all flags are known */
  readonly isKnownFeature?: (name: string) => boolean;
  /** Told how many unknown flags were left out of a report. @default nobody */
  readonly onUnknownDropped?: (count: number) => void;
}

/** The quota of usage that was reported without one. */
export const DEFAULT_QUOTA = "";

/**
 * The queue of usage that was acknowledged and not delivered yet. Usage enters it with `add` or
 * `count`, and leaves it with `release`, which says that the upstream has it. What was taken for
 * sending keeps its memory claimed until it is released or put back, so no limit can cost usage that
 * was acknowledged before.
 */
export class UsageStore {
  readonly #quotas = new Map<string, QuotaUsage>();
  readonly #options: UsageStoreOptions;
  readonly #limits: UsageLimits;
  readonly #memory: FairBudget;
  readonly #applications: FairBudget;
  #refused = 0;

  constructor(options: UsageStoreOptions) {
    const { limits = USAGE_LIMITS, memory = new FairBudget(limits.bytes) } = options;
    this.#options = options;
    this.#limits = limits;
    this.#memory = memory;
    this.#applications = new FairBudget(limits.applications);
  }

  /** The names of applications with undelivered usage; one name for each quota that has some. */
  get applications(): readonly string[] {
    return [...this.#quotas.values()].flatMap(({ applications }) => applications);
  }

  /** How many calls of `count` were refused since the last call of this. */
  takeRefused(): number {
    const refused = this.#refused;
    this.#refused = 0;
    return refused;
  }

  /** Counts one flag of an application that reports without a quota of its own. */
  count(appName: string, feature: string, usage: FeatureUsage): void {
    const features = [[feature, usage]] as const;
    if (!this.#add(DEFAULT_QUOTA, appName, this.#options.now(), features)) this.#refused += 1;
  }

  /**
   * Adds usage that was counted elsewhere: all of it, apart from unknown flags beyond their limit, or
   * nothing if it exceeds a limit; then it returns false. The cost does not depend on the counts.
   */
  add({ quotaId = DEFAULT_QUOTA, appName, startMs, features }: ApplicationUsage): boolean {
    return this.#add(quotaId, appName, startMs, Object.entries(features));
  }

  /**
   * Takes everything for sending, one application after the other: one of each quota in turn, so that
   * a quota with many applications does not delay the others. Usage that is added meanwhile, of an
   * application that has none yet, is left for the next time.
   */
  *takeAll(): Generator<ApplicationUsage, undefined, undefined> {
    let queues = [...this.#quotas].map(([quotaId, quota]) => ({
      quotaId,
      quota,
      names: quota.applications,
    }));
    for (let turn = 0; queues.length > 0; turn += 1) {
      for (const { quotaId, quota, names } of queues) {
        const taken = quota.take(names[turn] ?? "");
        if (taken !== undefined) yield { ...taken, quotaId };
      }
      queues = queues.filter(({ names }) => turn + 1 < names.length);
    }
    return undefined;
  }

  /** Returns usage that could not be delivered; its application and quota go to the end of the line. */
  putBack(usage: ApplicationUsage): void {
    const { quotaId = DEFAULT_QUOTA } = usage;
    const quota = this.#quotaOf(quotaId);
    quota.putBack(usage);
    this.#quotas.delete(quotaId);
    this.#quotas.set(quotaId, quota);
  }

  /** Forgets usage that was delivered. */
  release(usage: ApplicationUsage): void {
    const { quotaId = DEFAULT_QUOTA } = usage;
    const quota = this.#quotas.get(quotaId);
    quota?.release(usage);
    if (quota?.isEmpty === true) this.#quotas.delete(quotaId);
  }

  #add(quotaId: string, appName: string, startMs: number, features: FeatureEntries): boolean {
    const quota = this.#quotaOf(quotaId);
    const { isAccepted, droppedUnknown } = quota.add(appName, startMs, features);
    if (quota.isEmpty) this.#quotas.delete(quotaId);
    if (droppedUnknown > 0) this.#options.onUnknownDropped?.(droppedUnknown);
    return isAccepted;
  }

  #quotaOf(quotaId: string): QuotaUsage {
    const known = this.#quotas.get(quotaId);
    if (known !== undefined) return known;
    const { now, isKnownFeature = () => true } = this.#options;
    const created = new QuotaUsage({
      limits: this.#limits,
      memory: this.#memory.shareOf(quotaId),
      applications: this.#applications.shareOf(quotaId),
      unknown: { held: 0 },
      isKnownFeature,
      now,
    });
    this.#quotas.set(quotaId, created);
    return created;
  }
}
