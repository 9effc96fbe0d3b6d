import type { ApplicationUsage, FeatureUsage } from "../flag-source.ts";
import type { FeatureEntries } from "./application-counts.ts";
import { FairBudget } from "./fair-budget.ts";
import { QuotaUsage } from "./quota-usage.ts";
import { DEFAULT_QUOTA, USAGE_LIMITS } from "./usage-limits.ts";
import type { UsageLimits } from "./usage-limits.ts";

interface UsageStoreOptions {
  readonly now: () => number;
  /** @default USAGE_LIMITS */
  readonly limits?: UsageLimits;
  /** The budget shared with the other buffers of the client. @default a separate budget */
  readonly memory?: FairBudget;
  /** Whether the upstream sent a flag of this name. @default all flags are known */
  readonly isKnownFeature?: (name: string) => boolean;
  /** Called with the number of unknown flags that were omitted from a report. */
  readonly onUnknownDropped?: (count: number) => void;
}

/**
 * Stores accepted usage until it is delivered. Usage is added with `add` or `count`, taken for
 * sending with `takeAll`, and then either removed with `release` or returned with `putBack`. Its
 * memory stays claimed until it is released, so that putting it back never exceeds a limit.
 */
export class UsageStore {
  readonly #quotas = new Map<string, QuotaUsage>();
  readonly #options: UsageStoreOptions;
  readonly #limits: UsageLimits;
  readonly #memory: FairBudget;
  readonly #applications: FairBudget;
  #rejected = 0;

  constructor(options: UsageStoreOptions) {
    const { limits = USAGE_LIMITS, memory = new FairBudget(limits.bytes) } = options;
    this.#options = options;
    this.#limits = limits;
    this.#memory = memory;
    this.#applications = new FairBudget(limits.applications);
  }

  /** The names of applications with pending usage, once for each quota. */
  get applications(): readonly string[] {
    return [...this.#quotas.values()].flatMap(({ applications }) => applications);
  }

  /** Returns how many calls of `count` exceeded a limit since the last call of this method. */
  takeRejectedCount(): number {
    const rejected = this.#rejected;
    this.#rejected = 0;
    return rejected;
  }

  /** Counts usage of one flag under the default quota; if it exceeds a limit, counts only the rejection. */
  count(appName: string, feature: string, usage: FeatureUsage): void {
    const features = [[feature, usage]] as const;
    if (!this.#add(DEFAULT_QUOTA, appName, this.#options.now(), features)) this.#rejected += 1;
  }

  /**
   * Adds usage that was counted elsewhere. Returns false and adds nothing if it exceeds a limit. Unknown
   * flags beyond their limit are omitted. The cost does not depend on the values of the counts.
   */
  add({ quotaId = DEFAULT_QUOTA, appName, startMs, features }: ApplicationUsage): boolean {
    return this.#add(quotaId, appName, startMs, Object.entries(features));
  }

  /**
   * Takes all usage for sending, application by application: one of each quota in turn, so that a
   * quota with many applications does not delay the others. Does not include applications that are
   * added in the meantime.
   */
  *takeAll(): Generator<ApplicationUsage, undefined, undefined> {
    let queues = [...this.#quotas].map(([quotaId, quota]) => ({
      quotaId,
      quota,
      names: quota.applications,
    }));
    for (let index = 0; queues.length > 0; index += 1) {
      for (const { quotaId, quota, names } of queues) {
        const taken = quota.take(names[index] ?? "");
        if (taken !== undefined) yield { ...taken, quotaId };
      }
      queues = queues.filter(({ names }) => index + 1 < names.length);
    }
    return undefined;
  }

  /** Returns usage that could not be delivered; its application and quota move to the end of the order. */
  putBack(usage: ApplicationUsage): void {
    const { quotaId = DEFAULT_QUOTA } = usage;
    const quota = this.#quotaOf(quotaId);
    quota.putBack(usage);
    this.#quotas.delete(quotaId);
    this.#quotas.set(quotaId, quota);
  }

  /** Removes usage that was delivered. */
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
    const existing = this.#quotas.get(quotaId);
    if (existing !== undefined) return existing;
    const { now, isKnownFeature = () => true } = this.#options;
    const created = new QuotaUsage({
      limits: this.#limits,
      memory: this.#memory.shareOf(quotaId),
      applications: this.#applications.shareOf(quotaId),
      unknown: { count: 0 },
      isKnownFeature,
      now,
    });
    this.#quotas.set(quotaId, created);
    return created;
  }
}
