import type { Snapshot } from "flags-engine";
import type { Settings } from "flags-sdk/neutral";
import { FairShare } from "flags-server-kit/neutral";
import {
  type ApplicationRegistration,
  type ApplicationUsage,
  DEFAULT_QUOTA,
  type Journal,
} from "./application-usage.ts";
import { environmentOf } from "./bulk-report.ts";
import { toSingleSamples } from "./impact-metrics.ts";
import { hasName, type IsKnown } from "./known-names.ts";
import { PendingData } from "./pending-data.ts";
import { type DropKind, UsageDrops } from "./usage-drops.ts";
import { UsageSender, type UsageSenderOptions } from "./usage-sender.ts";

interface AcceptedUsageOptions {
  /** Bytes of memory for everything that is pending. */
  readonly maxBytes: number;
  /** Returns the flags that the upstream has sent. */
  readonly snapshot: () => Snapshot | undefined;
  readonly onDropped: (kind: DropKind, count: number) => void;
  /** Receives every change of what is pending. @default none */
  readonly journal?: Journal;
}

interface SenderParts extends Pick<UsageSenderOptions, "api" | "events" | "identity" | "onSent"> {
  readonly credentials: Settings["credentials"];
}

/** Usage, impact metrics and registrations that were accepted, until the upstream has accepted them too. */
export class AcceptedUsage {
  readonly pending: PendingData;
  readonly drops: UsageDrops;
  readonly #isKnown: IsKnown;

  constructor({ maxBytes, snapshot, onDropped, journal }: AcceptedUsageOptions) {
    this.#isKnown = (feature, variant) => {
      const current = snapshot();
      // Before the first data, every flag may exist.
      return current === undefined || hasName(current, feature, variant);
    };
    this.drops = new UsageDrops(onDropped);
    this.pending = new PendingData({
      memory: new FairShare(maxBytes),
      isKnown: this.#isKnown,
      onDropped: (kind, count) => this.drops.add(kind, count),
      ...(journal && { journal }),
    });
  }

  /** Adds usage. Returns false, and adds nothing, if that would exceed a limit. */
  add(usage: ApplicationUsage): boolean {
    const { quotaId = DEFAULT_QUOTA, impactMetrics = [] } = usage;
    if (!this.pending.usage.add(usage)) return false;
    const samples = impactMetrics.flatMap(toSingleSamples);
    this.drops.add("impact_metric", this.pending.impactMetrics.add(quotaId, samples));
    return true;
  }

  /** Adds a registration to be forwarded; drops it beyond a limit. */
  register(registration: ApplicationRegistration): void {
    const { quotaId = DEFAULT_QUOTA } = registration;
    this.drops.add("registration", this.pending.registrations.add(quotaId, [registration]));
  }

  /** Creates what sends everything to the upstream. */
  createSender({ credentials, ...parts }: SenderParts): UsageSender {
    const { pending, drops } = this;
    const environment = environmentOf(credentials);
    return new UsageSender({ ...parts, pending, drops, isKnown: this.#isKnown, environment });
  }
}
