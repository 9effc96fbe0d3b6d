import type { UpstreamError } from "flags-sdk";
import type { ApplicationUsage } from "./application-usage.ts";
import type { EventSink, FailureLog } from "flags-sdk/neutral";
import { splitUsages } from "./bulk-report.ts";
import { separateKnown } from "./known-names.ts";
import type { IsKnown } from "./known-names.ts";
import type { UsageDrops } from "./usage-drops.ts";
import type { UsageBuffer } from "./usage-buffer.ts";

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

type Divided = Group | "batch";

const GROUPS: readonly Group[] = ["known", "unknown"];

/** Consecutive rejections after which the usage of an application is dropped, for each group of names. */
const MAX_REJECTIONS = 10;
export const TOO_LARGE = 413;
/**
 * How often rejected batches, and rejected usage of each group, are divided per attempt to send everything. Clients can
 * invent any number of names that the upstream might reject, which must not cause any number of requests.
 */
const MAX_SPLITS = 100;
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
  readonly #splitsLeft: Record<Divided, number> = {
    known: MAX_SPLITS,
    unknown: MAX_SPLITS,
    batch: MAX_SPLITS,
  };

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

  /** Must be called before each attempt to send everything. */
  beginRound(): void {
    for (const kind of [...GROUPS, "batch"] as const) this.#splitsLeft[kind] = MAX_SPLITS;
  }

  /** Whether a rejected batch may be divided once more. */
  mayDivideBatch(): boolean {
    return this.#takeSplit("batch");
  }

  /** Returns the parts in which to send rejected usage again; undefined if it is not divided any more. */
  split({ usage, error }: Rejected): readonly ApplicationUsage[] | undefined {
    const halves = splitUsages([usage])?.flat();
    if (error.status === TOO_LARGE) return halves;
    const { known, unknown } = separateKnown(usage, this.#options.isKnown);
    if (known !== undefined && unknown !== undefined) return [known, unknown];
    if (halves === undefined) return undefined;
    const group = unknown === undefined ? "known" : "unknown";
    return this.#takeSplit(group) ? halves : undefined;
  }

  #takeSplit(kind: Divided): boolean {
    if (this.#splitsLeft[kind] === 0) return false;
    this.#splitsLeft[kind] -= 1;
    return true;
  }

  /** Decides which of the rejected parts of the usage of one application to drop. */
  resolve(
    usage: ApplicationUsage,
    rejected: readonly Rejected[],
    accepted: readonly ApplicationUsage[],
  ): void {
    const isIsolated = (one: Rejected): boolean => accepted.length > 0 && isSingleFlag(one);
    this.#dropFlags(rejected.filter(isIsolated));
    const others = rejected.filter((one) => !isIsolated(one));
    for (const group of GROUPS) {
      const id = idOf(usage, group);
      const ofGroup = others.filter((one) => this.#groupOf(one.usage) === group);
      const isPartAccepted = accepted.some((part) => this.#groupOf(part) === group);
      if (ofGroup.length === 0 || isPartAccepted) this.#counts.delete(id);
      this.#count(id, ofGroup);
    }
  }

  #groupOf(usage: ApplicationUsage): Group {
    const { unknown } = separateKnown(usage, this.#options.isKnown);
    return unknown === undefined ? "known" : "unknown";
  }

  /** Drops flags that the upstream rejects although it accepts others of the same application. */
  #dropFlags(isolated: readonly Rejected[]): void {
    const [first] = isolated;
    if (first === undefined) return;
    const { usage, error } = first;
    this.#options.events.failure(error);
    const shown = isolated.slice(0, MAX_NAMES).map(describeFlag);
    const rest = isolated.length > MAX_NAMES ? ` and ${isolated.length - MAX_NAMES} more` : "";
    const flags = `${isolated.length === 1 ? "flag" : "flags"} ${shown.join(", ")}${rest}`;
    this.#drop(
      isolated,
      `application ${JSON.stringify(usage.appName)}, ${flags}: ${error.message}`,
    );
  }

  /** Counts a rejection, and drops the usage after ten consecutive ones. */
  #count(id: string, rejected: readonly Rejected[]): void {
    const [first] = rejected;
    if (first === undefined) return;
    const { failureLog } = this.#options;
    const { usage, error } = first;
    failureLog.failed(error);
    const rejections = (this.#counts.get(id) ?? 0) + 1;
    if (rejections < MAX_REJECTIONS) {
      this.#counts.set(id, rejections);
      return;
    }
    this.#counts.delete(id);
    this.#drop(
      rejected,
      `application ${JSON.stringify(usage.appName)}, rejected ${rejections} times: ${error.message}`,
    );
  }

  /** @param example describes the usage, for the log */
  #drop(rejected: readonly Rejected[], example: string): void {
    const { buffer, drops } = this.#options;
    for (const { usage } of rejected) buffer.release(usage);
    const { length } = rejected.flatMap(({ usage }) => Object.keys(usage.features));
    drops.add("rejected", length, example);
  }
}

function isSingleFlag({ usage }: Rejected): boolean {
  return Object.keys(usage.features).length === 1;
}

/** Describes a single flag for a log message. */
function describeFlag({ usage: { features } }: Rejected): string {
  const [[name, { yes, no }] = ["", { yes: 0, no: 0 }]] = Object.entries(features);
  return `${JSON.stringify(name)}${yes + no === 0 ? " (only variants)" : ""}`;
}

function idOf({ quotaId, appName }: ApplicationUsage, group: Group): string {
  return JSON.stringify([quotaId, appName, group]);
}
