import type { FeatureUsage } from "flags-sdk";
import { FairShare } from "flags-server-kit/neutral";
import {
  type ApplicationUsage,
  type ChangeKind,
  DEFAULT_QUOTA,
  type Journal,
} from "./application-usage.ts";
import { withFeatures } from "./bulk-report.ts";
import { type IsKnown, separateKnown } from "./known-names.ts";
import { Quotas } from "./quotas.ts";
import {
  applicationBytes,
  entryBytes,
  OTHER_APPLICATIONS,
  type UsageLimits,
} from "./usage-limits.ts";

export interface UsageBufferOptions {
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
  /** By quota, then name. */
  readonly #applications = new Quotas<Application>();
  /** The number of applications, shared by the quotas. */
  readonly #count: FairShare;
  /** The number of unknown flags by quota. */
  readonly #unknown = new FairShare(Infinity);
  readonly #options: UsageBufferOptions;

  constructor(options: UsageBufferOptions) {
    this.#options = options;
    this.#count = new FairShare(options.limits.applications);
  }

  /** The number of applications with usage, counted once for each quota. */
  get size(): number {
    return this.#count.used;
  }

  /**
   * Adds usage. Unknown flags and variants beyond their limits are omitted. If the application exceeds the limits of its
   * quota, known flags and variants are counted for `OTHER_APPLICATIONS`, so that a client that invents applications or flags
   * cannot cause other reports to be rejected. Returns false and adds nothing if even that is not possible. The cost does not
   * depend on the values of the counts.
   */
  add(reported: ApplicationUsage): boolean {
    const { memory, onDropped, journal } = this.#options;
    const usage = withoutZeros(reported);
    const { quotaId = DEFAULT_QUOTA } = usage;
    let admitted = this.#limitNames(usage);
    const isEmpty = Object.keys(admitted.usage.features).length === 0;
    const hasRoom =
      memory.canClaim(quotaId, this.#bytesToAdd(admitted.usage)) &&
      (this.#find(usage) !== undefined || this.#count.canClaim(quotaId, 1));
    if (!isEmpty && !hasRoom) {
      admitted = this.#toOthers(usage);
      // Its memory depends only on how many flags and variants are known, so it may exceed the share of its quota.
      if (memory.free < this.#bytesToAdd(admitted.usage)) return false;
    }
    if (admitted.unknownFlags > 0) onDropped("unknown_flag", admitted.unknownFlags);
    if (admitted.variants > 0) onDropped("variant", admitted.variants);
    if (Object.keys(admitted.usage.features).length === 0) return true;
    this.#merge(admitted.usage);
    journal("add", { usage: admitted.usage });
    return true;
  }

  /** Applies a change that an earlier process has recorded, regardless of limits. */
  apply(kind: ChangeKind, usage: ApplicationUsage): void {
    const application = this.#find(usage);
    if (kind === "remove") this.#subtract(usage);
    else if (kind === "add" || application === undefined) this.#merge(usage);
    else {
      for (const name of Object.keys(usage.features)) this.#delete(usage, application, name);
      this.#merge(usage);
      application.startMs = usage.startMs;
    }
  }

  /** Yields usage for sending, application by application, those of each quota in turn. */
  *takeAll(limit = Infinity): Generator<ApplicationUsage, undefined> {
    let taken = 0;
    for (const [quotaId, appName, application] of this.#applications.inTurn()) {
      application.nextStartMs = Date.now();
      yield toUsage(quotaId, appName, application);
      taken += 1;
      if (taken >= limit) break;
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
  *values(): Generator<ApplicationUsage, undefined> {
    for (const entry of this.#applications.entries()) yield toUsage(...entry);
    return undefined;
  }

  #find({ quotaId = DEFAULT_QUOTA, appName }: ApplicationUsage): Application | undefined {
    return this.#applications.get(quotaId, appName);
  }

  /** Omits unknown flags and variants beyond their limits. Clients can invent names, which must not exhaust the memory. */
  #limitNames(usage: ApplicationUsage): AdmittedUsage {
    const { limits, isKnown } = this.#options;
    const { quotaId = DEFAULT_QUOTA, features } = usage;
    const existing = this.#find(usage)?.features;
    let free = limits.unknownFeatures - this.#unknown.usedBy(quotaId);
    let unknownFlags = 0;
    let variants = 0;
    const admitted: [name: string, usage: FeatureUsage][] = [];
    for (const [name, counts] of Object.entries(features)) {
      if (existing?.has(name) !== true && !isKnown(name)) {
        free -= 1;
        if (free < 0) {
          unknownFlags += 1;
          continue;
        }
      }
      const rest = this.#limitVariants(name, counts, existing?.get(name)?.variants);
      if (rest !== counts) variants += 1;
      admitted.push([name, rest]);
    }
    return { usage: withFeatures(usage, admitted), unknownFlags, variants };
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

  /** Returns the usage of known flags and variants, without the name of its application. */
  #toOthers(usage: ApplicationUsage): AdmittedUsage {
    const { known, unknown } = separateKnown(usage, this.#options.isKnown);
    const omitted = Object.keys(unknown?.features ?? {});
    const unknownFlags = omitted.filter((name) => !this.#options.isKnown(name)).length;
    return {
      usage: { ...usage, features: known?.features ?? {}, appName: OTHER_APPLICATIONS },
      unknownFlags,
      variants: omitted.length - unknownFlags,
    };
  }

  /** Returns the memory that usage would require in addition. */
  #bytesToAdd(usage: ApplicationUsage): number {
    const application = this.#find(usage);
    let bytes = application === undefined ? applicationBytes(usage.appName) : 0;
    for (const [name, { variants = {} }] of Object.entries(usage.features)) {
      const counts = application?.features.get(name);
      if (counts === undefined) bytes += entryBytes(name);
      for (const variant of Object.keys(variants)) {
        if (counts?.variants?.has(variant) !== true) bytes += entryBytes(variant);
      }
    }
    return bytes;
  }

  #merge(usage: ApplicationUsage): void {
    const { quotaId = DEFAULT_QUOTA, appName, features } = usage;
    const nowMs = Date.now();
    const startMs = usage.startMs >= 0 && usage.startMs <= nowMs ? usage.startMs : nowMs;
    const application = this.#find(usage) ?? this.#create(quotaId, appName, startMs);
    application.startMs = Math.min(application.startMs, startMs);
    for (const [name, { yes, no, variants = {} }] of Object.entries(features)) {
      const counts = application.features.get(name) ?? this.#createCounts(quotaId, name);
      application.features.set(name, counts);
      counts.yes = addCounts(counts.yes, yes);
      counts.no = addCounts(counts.no, no);
      for (const [variant, count] of Object.entries(variants)) {
        if (count === 0) continue;
        counts.variants ??= new Map();
        const previous = counts.variants.get(variant);
        if (previous === undefined) this.#options.memory.claim(quotaId, entryBytes(variant));
        counts.variants.set(variant, addCounts(previous ?? 0, count));
      }
    }
  }

  #create(quotaId: string, appName: string, startMs: number): Application {
    const created = { startMs, nextStartMs: startMs, features: new Map<string, Counts>() };
    this.#applications.set(quotaId, appName, created);
    this.#count.claim(quotaId, 1);
    this.#options.memory.claim(quotaId, applicationBytes(appName));
    return created;
  }

  #createCounts(quotaId: string, name: string): Counts {
    const isUnknown = !this.#options.isKnown(name);
    if (isUnknown) this.#unknown.claim(quotaId, 1);
    this.#options.memory.claim(quotaId, entryBytes(name));
    return { yes: 0, no: 0, variants: undefined, isUnknown };
  }

  #subtract(usage: ApplicationUsage): void {
    const { quotaId = DEFAULT_QUOTA, appName, features } = usage;
    const application = this.#find(usage);
    if (application === undefined) return;
    for (const [name, delivered] of Object.entries(features)) {
      const counts = application.features.get(name);
      if (counts === undefined) continue;
      counts.yes = Math.max(counts.yes - delivered.yes, 0);
      counts.no = Math.max(counts.no - delivered.no, 0);
      this.#subtractVariants(quotaId, counts, delivered);
      if (counts.yes === 0 && counts.no === 0 && counts.variants === undefined) {
        this.#delete(usage, application, name);
      }
    }
    if (application.features.size > 0) return;
    this.#applications.delete(quotaId, appName);
    this.#count.claim(quotaId, -1);
    this.#options.memory.claim(quotaId, -applicationBytes(appName));
  }

  #subtractVariants(quotaId: string, counts: Counts, { variants = {} }: FeatureUsage): void {
    for (const [variant, count] of Object.entries(variants)) {
      const rest = (counts.variants?.get(variant) ?? 0) - count;
      if (rest > 0) counts.variants?.set(variant, rest);
      else if (counts.variants?.delete(variant) === true) {
        this.#options.memory.claim(quotaId, -entryBytes(variant));
      }
    }
    if (counts.variants?.size === 0) counts.variants = undefined;
  }

  /** Deletes a flag of an application. */
  #delete({ quotaId = DEFAULT_QUOTA }: ApplicationUsage, { features }: Application, name: string) {
    const counts = features.get(name);
    if (counts === undefined) return;
    features.delete(name);
    if (counts.isUnknown) this.#unknown.claim(quotaId, -1);
    for (const entry of [name, ...(counts.variants?.keys() ?? [])]) {
      this.#options.memory.claim(quotaId, -entryBytes(entry));
    }
  }
}

/** Usage without what exceeds a limit, and the numbers of omitted flags, and of flags whose variants were omitted. */
interface AdmittedUsage {
  readonly usage: ApplicationUsage;
  readonly unknownFlags: number;
  readonly variants: number;
}

function withoutZeros(usage: ApplicationUsage): ApplicationUsage {
  const features = Object.entries(usage.features).filter(
    ([, { yes, no, variants = {} }]) =>
      yes > 0 || no > 0 || Object.values(variants).some((count) => count > 0),
  );
  return withFeatures(usage, features);
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
  const entries = [...features].map(([name, { yes, no, variants }]) => {
    return [name, { yes, no, variants: Object.fromEntries(variants ?? []) }] as const;
  });
  return { quotaId, appName, startMs, features: Object.fromEntries(entries) };
}
