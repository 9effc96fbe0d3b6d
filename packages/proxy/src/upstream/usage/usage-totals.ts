import type { FeatureUsage } from "flags-sdk";
import type { ApplicationUsage } from "./application-usage.ts";
import { addCounts, toCount } from "./application-counts.ts";
import { DEFAULT_QUOTA } from "./usage-limits.ts";

interface Counts {
  yes: number;
  no: number;
  readonly variants: Map<string, number>;
}

interface Application {
  readonly quotaId: string;
  readonly appName: string;
  startMs: number;
  readonly features: Map<string, Counts>;
}

/** Sums of usage by quota, application, flag and variant, without limits. Counts never become negative. */
export class UsageTotals {
  readonly #applications = new Map<string, Application>();

  /** Adds counts. */
  add(usage: ApplicationUsage): void {
    const application = this.#getOrCreate(usage);
    application.startMs = Math.min(application.startMs, usage.startMs);
    for (const [name, counts] of Object.entries(usage.features)) {
      application.features.set(name, sum(application.features.get(name), counts, 1));
    }
  }

  /** Subtracts counts. */
  remove(usage: ApplicationUsage): void {
    const application = this.#find(usage);
    if (application === undefined) return;
    for (const [name, counts] of Object.entries(usage.features)) {
      const rest = sum(application.features.get(name), counts, -1);
      if (isZero(rest)) application.features.delete(name);
      else application.features.set(name, rest);
    }
    if (application.features.size === 0) this.#applications.delete(keyOf(usage));
  }

  /** Replaces the counts of the flags in this usage; those of other flags stay. */
  set(usage: ApplicationUsage): void {
    const application = this.#getOrCreate(usage);
    application.startMs = usage.startMs;
    for (const [name, counts] of Object.entries(usage.features)) {
      application.features.set(name, sum(undefined, counts, 1));
    }
  }

  /** Returns the counts of one application; undefined if there are none. */
  get(quotaId: string, appName: string): ApplicationUsage | undefined {
    const application = this.#applications.get(keyOf({ quotaId, appName }));
    return application && toUsage(application);
  }

  /** Yields the counts of all applications. */
  *values(): Generator<ApplicationUsage, undefined, undefined> {
    for (const application of this.#applications.values()) yield toUsage(application);
    return undefined;
  }

  #find(usage: ApplicationUsage): Application | undefined {
    return this.#applications.get(keyOf(usage));
  }

  #getOrCreate(usage: ApplicationUsage): Application {
    const existing = this.#find(usage);
    if (existing !== undefined) return existing;
    const { quotaId = DEFAULT_QUOTA, appName, startMs } = usage;
    const created = { quotaId, appName, startMs, features: new Map<string, Counts>() };
    this.#applications.set(keyOf(usage), created);
    return created;
  }
}

function keyOf({
  quotaId = DEFAULT_QUOTA,
  appName,
}: Pick<ApplicationUsage, "quotaId" | "appName">): string {
  return JSON.stringify([quotaId, appName]);
}

/** Adds counts to others, or subtracts them. */
function sum(previous: Counts | undefined, counts: FeatureUsage, sign: 1 | -1): Counts {
  const combine = (a: number, b: unknown): number =>
    sign === 1 ? addCounts(a, toCount(b)) : Math.max(a - toCount(b), 0);
  const variants = new Map(previous?.variants);
  for (const [name, count] of Object.entries(counts.variants ?? {})) {
    const combined = combine(variants.get(name) ?? 0, count);
    if (combined === 0) variants.delete(name);
    else variants.set(name, combined);
  }
  return {
    yes: combine(previous?.yes ?? 0, counts.yes),
    no: combine(previous?.no ?? 0, counts.no),
    variants,
  };
}

function isZero({ yes, no, variants }: Counts): boolean {
  return yes === 0 && no === 0 && variants.size === 0;
}

// NOTE: `fromEntries` defines properties, so it is safe for a name such as `__proto__`.
function toUsage({ quotaId, appName, startMs, features }: Application): ApplicationUsage {
  const entries = [...features].map(([name, { yes, no, variants }]) => [
    name,
    variants.size === 0 ? { yes, no } : { yes, no, variants: Object.fromEntries(variants) },
  ]);
  return {
    quotaId,
    appName,
    startMs,
    features: Object.fromEntries(entries) as Record<string, FeatureUsage>,
  };
}
