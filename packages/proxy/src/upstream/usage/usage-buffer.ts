import { isReportedName } from "flags-engine";
import type { ApplicationUsage } from "./application-usage.ts";
import type { FeatureEntries } from "./application-counts.ts";
import { FairBudget, DEFAULT_QUOTA, OTHER_APPLICATIONS, USAGE_LIMITS } from "./usage-limits.ts";
import { QuotaUsage } from "./quota-usage.ts";
import type { CountedUsage } from "./quota-usage.ts";
import { type IsKnown, separateKnown } from "./known-names.ts";
import type { UsageLimits } from "./usage-limits.ts";
import { UsageTotals } from "./usage-totals.ts";

/** Receives every change of the usage. */
interface UsageJournal {
  /** Usage was accepted. */
  add(usage: ApplicationUsage): void;
  /** Usage was delivered or dropped. */
  remove(usage: ApplicationUsage): void;
}

interface UsageBufferOptions {
  readonly now: () => number;
  /** @default USAGE_LIMITS */
  readonly limits?: UsageLimits;
  /** The budget shared with the other buffers of the client. @default a separate budget */
  readonly memory?: FairBudget;
  /** @default all flags are known, and no variants */
  readonly isKnown?: IsKnown;
  /** Called with the number of unknown flags that were omitted, or of flags whose variants were. */
  readonly onDropped?: (kind: "unknown_flag" | "variant", count: number) => void;
  /** @default changes are not recorded */
  readonly journal?: UsageJournal;
}

/**
 * Stores accepted usage until it is delivered. Usage is added with `add` or `count`, taken for
 * sending with `takeAll`, and then either removed with `release` or returned with `putBack`. Its
 * memory stays claimed until it is released, so that putting it back never exceeds a limit.
 */
export class UsageBuffer {
  readonly #quotas = new Map<string, QuotaUsage>();
  readonly #options: UsageBufferOptions;
  readonly #limits: UsageLimits;
  readonly #memory: FairBudget;
  readonly #applications: FairBudget;
  readonly #isKnown: IsKnown;
  /** What is being sent. */
  readonly #taken = new UsageTotals();

  constructor(options: UsageBufferOptions) {
    const { limits = USAGE_LIMITS, memory = new FairBudget(limits.bytes) } = options;
    this.#options = options;
    this.#limits = limits;
    this.#memory = memory;
    this.#applications = new FairBudget(limits.applications);
    this.#isKnown = options.isKnown ?? ((_flag, variant) => variant === undefined);
  }

  /** The names of applications with pending usage, once for each quota. */
  get applications(): readonly string[] {
    return [...this.#quotas.values()].flatMap(({ applications }) => applications);
  }

  /** The applications with usage that the journal contains. It may be pending or being sent. */
  get keys(): readonly (readonly [quotaId: string, appName: string])[] {
    return [...this.#quotas].flatMap(([quotaId, quota]) =>
      quota.applications.map((appName) => [quotaId, appName] as const),
    );
  }

  /** Returns the usage of an application that is pending or being sent; undefined if there is none. */
  totalOf(quotaId: string, appName: string): ApplicationUsage | undefined {
    const totals = new UsageTotals();
    const pending = this.#quotas.get(quotaId)?.get(appName);
    const taken = this.#taken.get(quotaId, appName);
    if (pending !== undefined) totals.add({ ...pending, quotaId });
    if (taken !== undefined) totals.add(taken);
    return totals.get(quotaId, appName);
  }

  /**
   * Adds usage that was counted elsewhere. Unknown flags and variants beyond their limits are omitted. If the
   * application exceeds the limits of its quota, known flags and variants are counted for `OTHER_APPLICATIONS`,
   * so that a client that invents applications or flags cannot cause other reports to be rejected. Returns
   * false and adds nothing if even that is not possible, or if a name is invalid. The cost does not depend on
   * the values of the counts.
   */
  add({ quotaId = DEFAULT_QUOTA, appName, startMs, features }: ApplicationUsage): boolean {
    const entries = Object.entries(features);
    const counted = this.#add(quotaId, appName, startMs, entries);
    if (counted === undefined) return this.#addToOthers({ quotaId, appName, startMs, features });
    if (counted.features.length === 0) return true;
    const isComplete = counted.unknownCount + counted.limitedCount === 0;
    this.#options.journal?.add({
      quotaId,
      appName,
      startMs,
      features: isComplete ? features : Object.fromEntries(counted.features),
    });
    return true;
  }

  /** Adds usage of an earlier process, regardless of limits. */
  restore(usage: ApplicationUsage): void {
    this.#quotaOf(usage.quotaId ?? DEFAULT_QUOTA).putBack(usage);
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
        if (taken === undefined) continue;
        const usage = { ...taken, quotaId };
        this.#taken.add(usage);
        yield usage;
      }
      queues = queues.filter(({ names }) => index + 1 < names.length);
    }
    return undefined;
  }

  /** Returns usage that could not be delivered; its application and quota move to the end of the order. */
  putBack(usage: ApplicationUsage): void {
    const { quotaId = DEFAULT_QUOTA } = usage;
    const quota = this.#quotaOf(quotaId);
    this.#taken.remove(usage);
    quota.putBack(usage);
    this.#quotas.delete(quotaId);
    this.#quotas.set(quotaId, quota);
  }

  /** Removes usage that was delivered. */
  release(usage: ApplicationUsage): void {
    const { quotaId = DEFAULT_QUOTA } = usage;
    const quota = this.#quotas.get(quotaId);
    this.#taken.remove(usage);
    quota?.release(usage);
    if (quota?.isEmpty === true) this.#quotas.delete(quotaId);
    this.#options.journal?.remove(usage);
  }

  #addToOthers(usage: ApplicationUsage & { readonly quotaId: string }): boolean {
    const { quotaId, appName, startMs } = usage;
    if (!isReportedName(appName)) return false;
    const { known, unknown } = separateKnown(usage, this.#isKnown);
    const quota = this.#quotaOf(quotaId);
    const isCounted = quota.addToOthers(startMs, Object.entries(known?.features ?? {}));
    if (quota.isEmpty) this.#quotas.delete(quotaId);
    if (!isCounted) return false;
    const omitted = Object.keys(unknown?.features ?? {});
    const unknownCount = omitted.filter((name) => !this.#isKnown(name)).length;
    this.#countDropped("unknown_flag", unknownCount);
    this.#countDropped("variant", omitted.length - unknownCount);
    if (known !== undefined) {
      this.#options.journal?.add({ ...known, appName: OTHER_APPLICATIONS });
    }
    return true;
  }

  #countDropped(kind: "unknown_flag" | "variant", count: number): void {
    if (count > 0) this.#options.onDropped?.(kind, count);
  }

  /** Returns undefined if a limit is exceeded. */
  #add(
    quotaId: string,
    appName: string,
    startMs: number,
    features: FeatureEntries,
  ): CountedUsage | undefined {
    const quota = this.#quotaOf(quotaId);
    const counted = quota.add(appName, startMs, features);
    if (quota.isEmpty) this.#quotas.delete(quotaId);
    const { unknownCount = 0, limitedCount = 0 } = counted ?? {};
    this.#countDropped("unknown_flag", unknownCount);
    this.#countDropped("variant", limitedCount);
    return counted;
  }

  #quotaOf(quotaId: string): QuotaUsage {
    const existing = this.#quotas.get(quotaId);
    if (existing !== undefined) return existing;
    const created = new QuotaUsage({
      limits: this.#limits,
      memory: this.#memory.shareOf(quotaId),
      applications: this.#applications.shareOf(quotaId),
      unknown: { count: 0 },
      isKnown: this.#isKnown,
      now: this.#options.now,
    });
    this.#quotas.set(quotaId, created);
    return created;
  }
}
