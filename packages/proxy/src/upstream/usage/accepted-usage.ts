import { FairShare } from "flags-server-kit/neutral";
import {
  type ApplicationRegistration,
  type ApplicationUsage,
  type ChangeKind,
  DEFAULT_QUOTA,
  type ImpactMetric,
  type Journal,
  type PendingContent,
} from "./application-usage.ts";
import { IMPACT_METRICS, joinSamples, toSingleSamples } from "./impact-metrics.ts";
import { groupItems, ItemBuffer } from "./item-buffer.ts";
import type { IsKnown } from "./known-names.ts";
import { RegistrationBuffer } from "./registrations.ts";
import { joinFlags, toFlags, UsageBuffer } from "./usage-buffer.ts";
import { type DropKind, UsageDrops } from "./usage-drops.ts";

/** Not the id of a quota, which is a digest. */
const RESERVED = "reserved";

interface AcceptedUsageOptions {
  /** Bytes of memory for everything that is pending, shared fairly by the quotas: a single one can use half of it. */
  readonly maxBytes: number;
  readonly isKnown: IsKnown;
  readonly onDropped: (kind: DropKind, count: number) => void;
  /** Receives every change of what is pending. @default none */
  readonly journal?: Journal;
}

/** Usage, impact metrics and registrations that were accepted, until the upstream has accepted them too. */
export class AcceptedUsage {
  readonly isKnown: IsKnown;
  readonly usage: UsageBuffer;
  /** With one sample each. */
  readonly impactMetrics: ItemBuffer<ImpactMetric>;
  readonly registrations: RegistrationBuffer;
  readonly drops: UsageDrops;
  readonly #memory: FairShare;

  constructor({ maxBytes, isKnown, onDropped, journal = () => {} }: AcceptedUsageOptions) {
    const memory = new FairShare(maxBytes);
    this.#memory = memory;
    this.isKnown = isKnown;
    this.drops = new UsageDrops(onDropped);
    this.usage = new UsageBuffer(memory, {
      isKnown,
      onDropped: (kind, count) => this.drops.add(kind, count),
      journal,
    });
    this.impactMetrics = new ItemBuffer(IMPACT_METRICS, memory, (kind, items) => {
      for (const group of groupItems(items)) {
        const metrics = group.map(({ item }) => item);
        journal(kind, { quotaId: group[0].quotaId, impactMetrics: joinSamples(metrics) });
      }
    });
    this.registrations = new RegistrationBuffer(memory, (kind, items) => {
      for (const { item: registration } of items) journal(kind, { registration });
    });
  }

  get isEmpty(): boolean {
    return this.usage.isEmpty && this.impactMetrics.isEmpty && this.registrations.isEmpty;
  }

  /** Reserves memory for data of an earlier process, which will be added. Returns a function that releases it. */
  reserve(bytes: number): () => void {
    this.#memory.claim(RESERVED, bytes);
    return () => this.#memory.claim(RESERVED, -bytes);
  }

  /** Adds usage. Returns false, and adds nothing, if that would exceed a limit. */
  add(usage: ApplicationUsage): boolean {
    const { quotaId = DEFAULT_QUOTA, impactMetrics = [] } = usage;
    if (!this.usage.report(usage)) return false;
    const samples = impactMetrics.flatMap(toSingleSamples);
    this.drops.add("impact_metric", this.impactMetrics.add(quotaId, samples));
    return true;
  }

  /** Adds a registration to be forwarded; drops it beyond a limit. */
  register(registration: ApplicationRegistration): void {
    const { quotaId = DEFAULT_QUOTA } = registration;
    this.drops.add("registration", this.registrations.add(quotaId, [registration]));
  }

  /** Yields all data. Each part is read when it is yielded; names that are added in the meantime may be missing. */
  *values(): Generator<PendingContent, undefined> {
    for (const taken of this.usage.values()) yield { usage: joinFlags([taken]) };
    for (const { quotaId, item } of this.impactMetrics.values()) {
      yield { quotaId, impactMetrics: [item] };
    }
    for (const { item } of this.registrations.values()) yield { registration: item };
    return undefined;
  }

  /** Applies a change that an earlier process has recorded, regardless of limits. */
  apply(kind: ChangeKind, content: PendingContent): void {
    if ("usage" in content) {
      const { quotaId = DEFAULT_QUOTA } = content.usage;
      this.usage.apply(kind, quotaId, toFlags(content.usage));
    } else if ("impactMetrics" in content) {
      const { quotaId, impactMetrics } = content;
      this.impactMetrics.apply(kind, quotaId, impactMetrics.flatMap(toSingleSamples));
    } else {
      const { quotaId = DEFAULT_QUOTA } = content.registration;
      this.registrations.apply(kind, quotaId, [content.registration]);
    }
  }
}
