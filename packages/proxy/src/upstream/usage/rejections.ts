import type { UpstreamError } from "flags-sdk";
import type { EventSink, FailureLog } from "flags-sdk/neutral";
import type { ApplicationUsage } from "./application-usage.ts";
import { halveUsage } from "./bulk-report.ts";
import { type IsKnown, separateKnown } from "./known-names.ts";
import type { UsageBuffer } from "./usage-buffer.ts";
import type { UsageDrops } from "./usage-drops.ts";

/** Usage of one application that the upstream has rejected. */
export interface Rejected {
  readonly usage: ApplicationUsage;
  readonly error: UpstreamError;
}

interface RejectionsOptions {
  readonly buffer: UsageBuffer;
  readonly drops: UsageDrops;
  readonly events: EventSink;
  readonly failureLog: FailureLog;
  readonly isKnown: IsKnown;
}

/** The names that the upstream sent, and the others, which clients may have invented. */
type Group = "known" | "unknown";

const GROUPS: readonly Group[] = ["known", "unknown"];

/** Consecutive rejections after which the usage of an application is dropped, for each group of names. */
const MAX_REJECTIONS = 10;
export const TOO_LARGE = 413;
/**
 * How often rejected batches, and rejected usage of each group, are divided per attempt to send everything. Clients can
 * invent any number of names that the upstream might reject, which must not cause any number of requests.
 */
const MAX_DIVISIONS = 100;
/** How many names of flags a log line contains. */
const MAX_NAMES = 5;

/**
 * Decides whether to drop or repeat usage that the upstream rejects for its content. Known names are sent
 * separately from the others, so that those that a client invents do not affect them.
 */
export class Rejections {
  readonly #options: RejectionsOptions;
  /** Consecutive rejections, by application and quota, and group of names. */
  readonly #counts = new Map<string, number>();
  #divisionsLeft = { known: 0, unknown: 0, batch: 0 };

  constructor(options: RejectionsOptions) {
    this.#options = options;
  }

  /** Whether there is no application whose usage was rejected. */
  get isEmpty(): boolean {
    return this.#counts.size === 0;
  }

  /** Whether some of the last usage of the application was rejected. */
  has(usage: ApplicationUsage): boolean {
    return GROUPS.some((group) => this.#counts.has(idOf(usage, group)));
  }

  /** Must be called before each attempt to send everything. Batches are divided without a limit in the last one. */
  beginAttempt(isLast: boolean): void {
    const batch = isLast ? Infinity : MAX_DIVISIONS;
    this.#divisionsLeft = { known: MAX_DIVISIONS, unknown: MAX_DIVISIONS, batch };
  }

  /** Whether a rejected batch, or rejected usage of a group, may be divided once more. */
  mayDivide(kind: Group | "batch"): boolean {
    this.#divisionsLeft[kind] -= 1;
    return this.#divisionsLeft[kind] >= 0;
  }

  /** Returns the parts in which to send rejected usage again; undefined if it is not divided any more. */
  divide({ usage, error }: Rejected): readonly ApplicationUsage[] | undefined {
    const halves = halveUsage(usage);
    if (error.status === TOO_LARGE) return halves;
    const { known, unknown } = separateKnown(usage, this.#options.isKnown);
    if (known !== undefined && unknown !== undefined) return [known, unknown];
    return halves !== undefined && this.mayDivide(this.#groupOf(usage)) ? halves : undefined;
  }

  /**
   * Decides which of the rejected parts of the usage of one application to drop: flags that are rejected although others are
   * accepted, and all of a group after ten consecutive rejections.
   */
  resolve(
    usage: ApplicationUsage,
    rejected: readonly Rejected[],
    accepted: readonly ApplicationUsage[],
  ): void {
    const isIsolated = (one: Rejected): boolean =>
      accepted.length > 0 && halveUsage(one.usage) === undefined;
    const isolated = rejected.filter(isIsolated);
    this.#drop(isolated, describeFlags(isolated));
    const [first] = isolated;
    if (first !== undefined) this.#options.events.failure(first.error);
    for (const group of GROUPS) {
      const id = idOf(usage, group);
      const others = rejected.filter(
        (one) => !isIsolated(one) && this.#groupOf(one.usage) === group,
      );
      const isPartAccepted = accepted.some((part) => this.#groupOf(part) === group);
      if (others.length === 0 || isPartAccepted) this.#counts.delete(id);
      this.#count(id, others);
    }
  }

  #groupOf(usage: ApplicationUsage): Group {
    const { unknown } = separateKnown(usage, this.#options.isKnown);
    return unknown === undefined ? "known" : "unknown";
  }

  #count(id: string, rejected: readonly Rejected[]): void {
    const [first] = rejected;
    if (first === undefined) return;
    this.#options.failureLog.failed(first.error);
    const count = (this.#counts.get(id) ?? 0) + 1;
    this.#counts.set(id, count);
    if (count < MAX_REJECTIONS) return;
    this.#counts.delete(id);
    this.#drop(rejected, `rejected ${count} times`);
  }

  /** @param reason describes the usage, for the log */
  #drop(rejected: readonly Rejected[], reason: string): void {
    const { buffer, drops } = this.#options;
    const [first] = rejected;
    if (first === undefined) return;
    for (const { usage } of rejected) buffer.release(usage);
    const { length } = rejected.flatMap(({ usage }) => Object.keys(usage.features));
    const appName = JSON.stringify(first.usage.appName);
    drops.add("rejected", length, `application ${appName}, ${reason}: ${first.error.message}`);
  }
}

/** Describes single flags for a log message. */
function describeFlags(isolated: readonly Rejected[]): string {
  const names = isolated.slice(0, MAX_NAMES).map(({ usage: { features } }) => {
    const [[name, { yes, no }] = ["", { yes: 0, no: 0 }]] = Object.entries(features);
    return `${JSON.stringify(name)}${yes + no === 0 ? " (only variants)" : ""}`;
  });
  const rest = isolated.length > MAX_NAMES ? ` and ${isolated.length - MAX_NAMES} more` : "";
  return `${isolated.length === 1 ? "flag" : "flags"} ${names.join(", ")}${rest}`;
}

function idOf({ quotaId, appName }: ApplicationUsage, group: Group): string {
  return JSON.stringify([quotaId, appName, group]);
}
