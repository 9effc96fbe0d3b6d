import type { FeatureUsage } from "flags-sdk";
import { FairShare } from "flags-server-kit/neutral";
import type { ApplicationUsage, ChangeKind, Journal } from "./application-usage.ts";
import { inTurn, moveToEnd } from "./in-turn.ts";
import { type IsKnown, separateKnown } from "./known-names.ts";
import {
  APPLICATION_BYTES,
  DEFAULT_QUOTA,
  ENTRY_BYTES,
  OTHER_APPLICATIONS,
  textBytes,
  type UsageLimits,
} from "./usage-limits.ts";

export interface UsageBufferOptions {
  readonly now: () => number;
  readonly limits: UsageLimits;
  /** Bytes of memory, shared by the quotas. */
  readonly memory: FairShare;
  readonly isKnown: IsKnown;
  /** Called with the number of unknown flags that were omitted, or of flags whose variants were. */
  readonly onDropped: (kind: "unknown_flag" | "variant", count: number) => void;
  /** Receives every change. */
  readonly journal: Journal;
}

interface Counts {
  yes: number;
  no: number;
  /** NOTE: even an empty map is large, and most flags have no variants. */
  variants: Map<string, number> | undefined;
  /** Whether it counts against the limit for flags that the upstream did not send. */
  readonly isUnknown: boolean;
}

interface Application {
  /** Start of the period of its counts, epoch milliseconds. */
  startMs: number;
  /** Start of the period of what is counted after the last `takeAll`. */
  nextStartMs: number;
  readonly features: Map<string, Counts>;
}

/**
 * Stores accepted usage until it is delivered. `takeAll` returns what to send, and `release` subtracts what was delivered.
 * Until then it stays, with its memory, so that a failed delivery needs nothing. Names are keys of maps, so that
 * `__proto__` is not special.
 */
export class UsageBuffer {
  /** By quota, then name. Both in the order in which they will be sent. */
  readonly #quotas = new Map<string, Map<string, Application>>();
  /** The number of unknown flags by quota. */
  readonly #unknown = new Map<string, number>();
  /** The number of applications, shared by the quotas. */
  readonly #applications: FairShare;
  readonly #options: UsageBufferOptions;

  constructor(options: UsageBufferOptions) {
    this.#options = options;
    this.#applications = new FairShare(options.limits.applications);
  }

  /** The number of applications with usage, counted once for each quota. */
  get size(): number {
    return this.#applications.used;
  }

  /**
   * Adds usage. Unknown flags and variants beyond their limits are omitted. If the
   * application exceeds the limits of its quota, known flags and variants are counted for `OTHER_APPLICATIONS`,
   * so that a client that invents applications or flags cannot cause other reports to be rejected. Returns
   * false and adds nothing if even that is not possible. The cost does not depend on
   * the values of the counts.
   */
  add(usage: ApplicationUsage): boolean {
    const admitted = this.#admit(usage);
    if (!this.#tryAdd(admitted, (isNew) => this.#isWithinLimits(usage, isNew))) {
      return this.#addToOthers(usage);
    }
    if (Object.keys(admitted.features).length > 0)
      this.#options.journal("add", { usage: admitted });
    return true;
  }

  /** Applies a change that an earlier process has recorded, regardless of limits. */
  apply(kind: ChangeKind, usage: ApplicationUsage): void {
    if (kind === "remove") this.#subtract(usage);
    else if (kind === "set") this.#replace(usage);
    else this.#merge(usage);
  }

  /**
   * Yields all usage for sending, application by application: one of each quota in turn, so that a
   * quota with many applications does not delay the others. What was yielded moves to the end of the order. Does not
   * include applications that are added in the meantime.
   */
  *takeAll(): Generator<ApplicationUsage, undefined, undefined> {
    for (const [quotaId, appName] of inTurn([...this.#quotas].map(toKeys))) {
      const quota = this.#quotas.get(quotaId);
      const application = quota?.get(appName);
      if (quota === undefined || application === undefined) continue;
      application.nextStartMs = this.#options.now();
      moveToEnd(quota, appName);
      moveToEnd(this.#quotas, quotaId);
      yield toUsage(quotaId, appName, application);
    }
    return undefined;
  }

  /** Removes usage that was delivered or dropped. */
  release(usage: ApplicationUsage): void {
    this.#subtract(usage);
    const application = this.#find(usage);
    if (application !== undefined) application.startMs = application.nextStartMs;
    this.#options.journal("remove", { usage });
  }

  /** Yields everything. Each application is read when it is yielded. */
  *values(): Generator<ApplicationUsage, undefined, undefined> {
    for (const [quotaId, appName] of [...this.#quotas].flatMap(toKeys)) {
      const application = this.#quotas.get(quotaId)?.get(appName);
      if (application !== undefined) yield toUsage(quotaId, appName, application);
    }
    return undefined;
  }

  /** Omits unknown flags and variants beyond their limits. Clients can invent names, which must not exhaust the memory. */
  #admit(usage: ApplicationUsage): ApplicationUsage {
    const { limits, isKnown, onDropped } = this.#options;
    const { quotaId = DEFAULT_QUOTA, features } = usage;
    const existing = this.#find(usage)?.features;
    let free = limits.unknownFeatures - (this.#unknown.get(quotaId) ?? 0);
    let limited = 0;
    const admitted: [name: string, usage: FeatureUsage][] = [];
    const entries = Object.entries(features);
    for (const [name, counts] of entries) {
      if (existing?.has(name) !== true && !isKnown(name)) {
        free -= 1;
        if (free < 0) continue;
      }
      const rest = this.#limitVariants(name, counts, existing?.get(name)?.variants);
      if (rest !== counts) limited += 1;
      admitted.push([name, rest]);
    }
    const unknown = entries.length - admitted.length;
    if (unknown > 0) onDropped("unknown_flag", unknown);
    if (limited > 0) onDropped("variant", limited);
    // NOTE: `fromEntries` defines properties, so it is safe for a name such as `__proto__`.
    return unknown + limited === 0 ? usage : { ...usage, features: Object.fromEntries(admitted) };
  }

  /** Returns the usage of a flag without the unknown variants beyond their limit. */
  #limitVariants(
    flag: string,
    usage: FeatureUsage,
    existing: ReadonlyMap<string, number> | undefined,
  ): FeatureUsage {
    const { isKnown, limits } = this.#options;
    const variants = Object.entries(usage.variants ?? {});
    if (variants.length + (existing?.size ?? 0) <= limits.variantsPerFeature) return usage;
    const unknown = [...(existing?.keys() ?? [])].filter((variant) => !isKnown(flag, variant));
    let free = limits.variantsPerFeature - unknown.length;
    const admitted = variants.filter(([variant]) => {
      if (existing?.has(variant) === true || isKnown(flag, variant)) return true;
      free -= 1;
      return free >= 0;
    });
    if (admitted.length === variants.length) return usage;
    return { ...usage, variants: Object.fromEntries(admitted) };
  }

  /** Adds usage; takes it back, and returns false, if it required memory that is not available. */
  #tryAdd(usage: ApplicationUsage, isAllowed: (isNew: boolean) => boolean): boolean {
    const { memory } = this.#options;
    const { quotaId = DEFAULT_QUOTA } = usage;
    const isNew = this.#find(usage) === undefined;
    const usedBefore = memory.usedBy(quotaId);
    this.#merge(usage);
    if (memory.usedBy(quotaId) === usedBefore || isAllowed(isNew)) return true;
    this.#subtract(usage);
    return false;
  }

  #isWithinLimits(usage: ApplicationUsage, isNew: boolean): boolean {
    const { memory, limits } = this.#options;
    const { quotaId = DEFAULT_QUOTA } = usage;
    const featureCount = this.#find(usage)?.features.size ?? 0;
    if (featureCount > limits.featuresPerApplication || !memory.isWithin(quotaId)) return false;
    return !isNew || this.#applications.isWithin(quotaId);
  }

  /**
   * Counts usage of known flags without the name of its application. Its memory depends only on how many flags and
   * variants are known, so it may exceed the share of its quota.
   */
  #addToOthers(usage: ApplicationUsage): boolean {
    const { memory, isKnown, onDropped, journal } = this.#options;
    const { known, unknown } = separateKnown(usage, isKnown);
    const others = { ...usage, features: known?.features ?? {}, appName: OTHER_APPLICATIONS };
    if (!this.#tryAdd(others, () => memory.free >= 0)) return false;
    const omitted = Object.keys(unknown?.features ?? {});
    const unknownCount = omitted.filter((name) => !isKnown(name)).length;
    if (unknownCount > 0) onDropped("unknown_flag", unknownCount);
    if (omitted.length > unknownCount) onDropped("variant", omitted.length - unknownCount);
    if (known !== undefined) journal("add", { usage: others });
    return true;
  }

  #find({ quotaId = DEFAULT_QUOTA, appName }: ApplicationUsage): Application | undefined {
    return this.#quotas.get(quotaId)?.get(appName);
  }

  #merge(usage: ApplicationUsage): void {
    const { quotaId = DEFAULT_QUOTA, appName, features } = usage;
    const nowMs = this.#options.now();
    const startMs = usage.startMs >= 0 && usage.startMs <= nowMs ? usage.startMs : nowMs;
    let application = this.#find(usage);
    // NOTE: reads values by name, since creating lists of entries costs more than everything else here.
    for (const name of Object.keys(features)) {
      const counts = features[name];
      if (
        counts === undefined ||
        isZero(counts.yes, counts.no, Object.values(counts.variants ?? {}))
      )
        continue;
      application ??= this.#create(quotaId, appName, startMs);
      this.#addFeature(quotaId, application, name, counts);
    }
    if (application !== undefined) application.startMs = Math.min(application.startMs, startMs);
  }

  #create(quotaId: string, appName: string, startMs: number): Application {
    const created = { startMs, nextStartMs: startMs, features: new Map<string, Counts>() };
    const quota = this.#quotas.get(quotaId) ?? new Map<string, Application>();
    this.#quotas.set(quotaId, quota);
    quota.set(appName, created);
    this.#applications.claim(quotaId, 1);
    this.#options.memory.claim(quotaId, APPLICATION_BYTES + textBytes(appName));
    return created;
  }

  #addFeature(
    quotaId: string,
    { features }: Application,
    name: string,
    { yes, no, variants = {} }: FeatureUsage,
  ): void {
    const counts = features.get(name) ?? this.#createCounts(quotaId, name);
    features.set(name, counts);
    counts.yes = addCounts(counts.yes, yes);
    counts.no = addCounts(counts.no, no);
    for (const variant of Object.keys(variants)) {
      const count = variants[variant] ?? 0;
      if (count === 0) continue;
      counts.variants ??= new Map();
      const previous = counts.variants.get(variant);
      if (previous === undefined) this.#claimEntry(quotaId, variant, 1);
      counts.variants.set(variant, addCounts(previous ?? 0, count));
    }
  }

  #createCounts(quotaId: string, name: string): Counts {
    const isUnknown = !this.#options.isKnown(name);
    this.#claimEntry(quotaId, name, 1);
    if (isUnknown) this.#countUnknown(quotaId, 1);
    return { yes: 0, no: 0, variants: undefined, isUnknown };
  }

  #subtract(usage: ApplicationUsage): void {
    const application = this.#find(usage);
    if (application === undefined) return;
    const { quotaId = DEFAULT_QUOTA, appName, features } = usage;
    for (const [name, counts] of Object.entries(features)) {
      this.#subtractFeature(quotaId, application, name, counts);
    }
    if (application.features.size > 0) return;
    const quota = this.#quotas.get(quotaId);
    quota?.delete(appName);
    if (quota?.size === 0) this.#quotas.delete(quotaId);
    this.#applications.claim(quotaId, -1);
    this.#options.memory.claim(quotaId, -(APPLICATION_BYTES + textBytes(appName)));
  }

  #subtractFeature(
    quotaId: string,
    { features }: Application,
    name: string,
    { yes, no, variants = {} }: FeatureUsage,
  ): void {
    const counts = features.get(name);
    if (counts === undefined) return;
    counts.yes = Math.max(counts.yes - yes, 0);
    counts.no = Math.max(counts.no - no, 0);
    if (counts.variants !== undefined) this.#subtractVariants(quotaId, counts.variants, variants);
    if (counts.variants?.size === 0) counts.variants = undefined;
    if (!isZero(counts.yes, counts.no, counts.variants?.values() ?? [])) return;
    features.delete(name);
    this.#claimEntry(quotaId, name, -1);
    if (counts.isUnknown) this.#countUnknown(quotaId, -1);
  }

  #subtractVariants(
    quotaId: string,
    counts: Map<string, number>,
    variants: Readonly<Record<string, number>>,
  ): void {
    for (const [variant, count] of Object.entries(variants)) {
      const rest = (counts.get(variant) ?? 0) - count;
      if (rest > 0) counts.set(variant, rest);
      else if (counts.delete(variant)) this.#claimEntry(quotaId, variant, -1);
    }
  }

  /** Replaces the counts of the flags in this usage; those of other flags stay. */
  #replace(usage: ApplicationUsage): void {
    const current = this.#find(usage);
    const named = Object.keys(usage.features).flatMap((name) => {
      const counts = current?.features.get(name);
      return counts === undefined ? [] : [[name, toFeatureUsage(counts)] as const];
    });
    this.#subtract({ ...usage, features: Object.fromEntries(named) });
    this.#merge(usage);
    const replaced = this.#find(usage);
    if (replaced !== undefined) replaced.startMs = usage.startMs;
  }

  #claimEntry(quotaId: string, name: string, sign: 1 | -1): void {
    this.#options.memory.claim(quotaId, sign * (ENTRY_BYTES + textBytes(name)));
  }

  #countUnknown(quotaId: string, change: number): void {
    const count = (this.#unknown.get(quotaId) ?? 0) + change;
    if (count === 0) this.#unknown.delete(quotaId);
    else this.#unknown.set(quotaId, count);
  }
}

function toKeys([quotaId, quota]: readonly [
  string,
  ReadonlyMap<string, unknown>,
]): readonly (readonly [quotaId: string, appName: string])[] {
  return [...quota.keys()].map((appName) => [quotaId, appName] as const);
}

function isZero(yes: number, no: number, variants: Iterable<number>): boolean {
  if (yes > 0 || no > 0) return false;
  for (const count of variants) if (count > 0) return false;
  return true;
}

/** Adds two counts, saturating at the largest exact integer. */
function addCounts(a: number, b: number): number {
  return Math.min(a + b, Number.MAX_SAFE_INTEGER);
}

function toUsage(
  quotaId: string,
  appName: string,
  { startMs, features }: Application,
): ApplicationUsage {
  const entries = [...features].map(([name, counts]) => [name, toFeatureUsage(counts)] as const);
  return { quotaId, appName, startMs, features: Object.fromEntries(entries) };
}

function toFeatureUsage({ yes, no, variants }: Counts): FeatureUsage {
  return { yes, no, variants: Object.fromEntries(variants ?? []) };
}
