import type { FeatureUsage } from "flags-sdk";
import type { FairShare } from "flags-server-kit/neutral";
import { type ApplicationUsage, DEFAULT_QUOTA, type Journal } from "./application-usage.ts";
import { groupItems, ItemBuffer, type TakenItem } from "./item-buffer.ts";
import type { IsKnown } from "./known-names.ts";

export interface FlagUsage {
  readonly appName: string;
  readonly flag: string;
  /** Epoch milliseconds. */
  readonly startMs: number;
  readonly counts: FeatureUsage;
}

/** The application under which usage is counted if its own would exceed the limits of a quota. */
export const OTHER_APPLICATIONS = "other-applications";

export const MAX_VARIANTS = 100;

/** Names per quota, over all its applications, of flags that the upstream did not send. */
const MAX_UNKNOWN_FLAGS = 10_000;

/** Estimated memory of a flag or variant with its counts, without names. */
const FLAG_BYTES = 250;
const VARIANT_BYTES = 120;
const BYTES_PER_CHARACTER = 2;
/** JSON, in which the spool stores names, escapes each of these with six bytes. */
const ESCAPED = /[\p{Cc}\p{Cs}]/u;
const BYTES_PER_ESCAPED = 6;

interface UsageBufferOptions {
  readonly isKnown: IsKnown;
  /** Called with the number of unknown flags that were omitted, or of flags whose variants were. */
  readonly onDropped: (kind: "unknown_flag" | "variant", count: number) => void;
  readonly journal: Journal;
}

/** Usage by flag and application. Clients choose the names in it, so they are not trusted. */
export class UsageBuffer extends ItemBuffer<FlagUsage> {
  readonly #options: UsageBufferOptions;

  constructor(memory: FairShare, options: UsageBufferOptions) {
    const kind = {
      // NOTE: names that are reported do not contain U+0000.
      keyOf: ({ appName, flag }: FlagUsage) => `${appName}\0${flag}`,
      isReplacing: () => false,
      sum,
      bytesOf,
      limit: MAX_UNKNOWN_FLAGS,
      isLimited: ({ flag }: FlagUsage) => !options.isKnown(flag),
    };
    super(kind, memory, (change, items) => {
      for (const group of groupByApplication(items)) {
        options.journal(change, { usage: joinFlags(group) });
      }
    });
    this.#options = options;
  }

  /**
   * Adds usage. Unknown flags and variants beyond their limits are omitted. What exceeds the share of its quota is counted for
   * `OTHER_APPLICATIONS` if it is known, so that a client that invents applications or flags cannot cause other reports to be
   * rejected. Returns false and adds nothing if even that is not possible. The cost does not depend on the values of the counts.
   */
  report(usage: ApplicationUsage): boolean {
    const { isKnown, onDropped } = this.#options;
    const { quotaId = DEFAULT_QUOTA } = usage;
    const admitted: FlagUsage[] = [];
    const dropped = { flags: 0, variants: 0 };
    let bytes = 0;
    let unknownLeft = this.freeOf(quotaId);
    for (const sent of toFlags(usage)) {
      if (isEmpty(sent)) continue;
      const existing = this.find(quotaId, sent);
      if (existing === undefined && !isKnown(sent.flag)) {
        unknownLeft -= 1;
        if (unknownLeft < 0) {
          dropped.flags += 1;
          continue;
        }
      }
      let item = this.#limitVariants(sent, existing);
      let added = bytesToAdd(existing, item);
      if (added > 0 && !this.memory.canClaim(quotaId, bytes + added)) {
        if (!isKnown(sent.flag)) {
          dropped.flags += 1;
          continue;
        }
        item = { ...withKnownVariants(sent, isKnown), appName: OTHER_APPLICATIONS };
        added = bytesToAdd(this.find(quotaId, item), item);
        // Its memory depends only on how many flags and variants are known, so it may exceed the share of its quota.
        if (this.memory.free < bytes + added) return false;
      }
      if (countVariants(item) < countVariants(sent)) dropped.variants += 1;
      admitted.push(item);
      bytes += added;
    }
    if (dropped.flags > 0) onDropped("unknown_flag", dropped.flags);
    if (dropped.variants > 0) onDropped("variant", dropped.variants);
    this.addAll(quotaId, admitted);
    return true;
  }

  /** Omits unknown variants beyond their limit. */
  #limitVariants(sent: FlagUsage, existing: FlagUsage | undefined): FlagUsage {
    const { isKnown } = this.#options;
    const known = Object.keys(existing?.counts.variants ?? {});
    if (countVariants(sent) + known.length <= MAX_VARIANTS) return sent;
    const existingNames = new Set(known);
    let free = MAX_VARIANTS - known.filter((variant) => !isKnown(sent.flag, variant)).length;
    return filterVariants(sent, (variant) => {
      if (existingNames.has(variant) || isKnown(sent.flag, variant)) return true;
      free -= 1;
      return free >= 0;
    });
  }
}

export function toFlags({ appName, startMs, features }: ApplicationUsage): readonly FlagUsage[] {
  const nowMs = Date.now();
  const start = startMs >= 0 && startMs <= nowMs ? startMs : nowMs;
  return Object.entries(features).map(([flag, counts]) => ({
    appName,
    flag,
    startMs: start,
    counts,
  }));
}

export function groupByApplication(
  items: Iterable<TakenItem<FlagUsage>>,
): readonly (readonly TakenItem<FlagUsage>[])[] {
  return groupItems(items, ({ appName }) => appName);
}

/** Joins usage of one application and quota. */
export function joinFlags(usages: readonly TakenItem<FlagUsage>[]): ApplicationUsage {
  const features = usages.map(({ item: { flag, counts } }) => {
    return [flag, { ...counts, variants: counts.variants ?? {} }] as const;
  });
  return {
    quotaId: usages[0]?.quotaId ?? DEFAULT_QUOTA,
    appName: usages[0]?.item.appName ?? "",
    startMs: Math.min(...usages.map(({ item }) => item.startMs)),
    // NOTE: `fromEntries` defines properties, so it is safe for a name such as `__proto__`.
    features: Object.fromEntries(features),
  };
}

export function withKnownVariants(usage: FlagUsage, isKnown: IsKnown): FlagUsage {
  return filterVariants(usage, (variant) => isKnown(usage.flag, variant));
}

function filterVariants(usage: FlagUsage, isIncluded: (variant: string) => boolean): FlagUsage {
  const { yes, no, variants = {} } = usage.counts;
  const included = Object.entries(variants).filter(([variant]) => isIncluded(variant));
  return { ...usage, counts: { yes, no, variants: Object.fromEntries(included) } };
}

export function isEmpty({ counts: { yes, no, variants = {} } }: FlagUsage): boolean {
  return yes <= 0 && no <= 0 && Object.values(variants).every((count) => count <= 0);
}

function countVariants({ counts: { variants = {} } }: FlagUsage): number {
  return Object.keys(variants).length;
}

function sum(previous: FlagUsage, usage: FlagUsage): FlagUsage {
  const startMs = Math.min(previous.startMs, usage.startMs);
  return { ...previous, startMs, counts: addUsage(previous.counts, usage.counts) };
}

function addUsage(one: FeatureUsage, other: FeatureUsage): FeatureUsage {
  // NOTE: safe for a name such as `__proto__`.
  const variants = new Map(Object.entries(one.variants ?? {}));
  for (const [variant, count] of Object.entries(other.variants ?? {})) {
    variants.set(variant, addCounts(variants.get(variant) ?? 0, count));
  }
  return {
    yes: addCounts(one.yes, other.yes),
    no: addCounts(one.no, other.no),
    ...(variants.size > 0 && { variants: Object.fromEntries(variants) }),
  };
}

/** Adds two counts, saturating at the largest exact integer. */
export function addCounts(a: number, b: number): number {
  return Math.min(a + b, Number.MAX_SAFE_INTEGER);
}

/** Returns the memory that usage requires in addition to that of the same flag. */
function bytesToAdd(existing: FlagUsage | undefined, usage: FlagUsage): number {
  if (existing === undefined) return bytesOf(usage);
  if (countVariants(usage) === 0) return 0;
  return bytesOf(sum(existing, usage)) - bytesOf(existing);
}

function bytesOf({ appName, flag, counts: { variants = {} } }: FlagUsage): number {
  let bytes = FLAG_BYTES + textBytes(appName) + textBytes(flag);
  for (const variant of Object.keys(variants)) bytes += VARIANT_BYTES + textBytes(variant);
  return bytes;
}

function textBytes(text: string): number {
  return text.length * (ESCAPED.test(text) ? BYTES_PER_ESCAPED : BYTES_PER_CHARACTER);
}
