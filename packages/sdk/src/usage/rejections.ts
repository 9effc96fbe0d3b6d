import type { ApplicationUsage } from "../flag-source.ts";
import type { EventSink, FailureLog } from "../transport/failure-log.ts";
import type { UpstreamError } from "../transport/upstream-error.ts";
import { splitUsages } from "./bulk-report.ts";
import type { UsageDrops } from "./usage-drops.ts";
import type { UsageStore } from "./usage-store.ts";

/** Usage of one application that the upstream has rejected. */
export interface Rejected {
  readonly usage: ApplicationUsage;
  readonly error: UpstreamError;
}

interface RejectionsOptions {
  readonly store: UsageStore;
  readonly drops: UsageDrops;
  readonly events: EventSink;
  readonly failureLog: FailureLog;
}

/** Consecutive rejections after which the usage of an application is dropped. */
const MAX_REJECTIONS = 10;
export const TOO_LARGE = 413;
/**
 * How often rejected usage is divided per attempt to send everything. Clients can invent any number of
 * names that the upstream might reject, which must not cause any number of requests.
 */
const MAX_SPLITS = 100;
/** How many names of flags a log line contains. */
const MAX_NAMES = 5;

/** Decides whether to drop or repeat usage that the upstream rejects for its content. */
export class Rejections {
  readonly #options: RejectionsOptions;
  /** Consecutive rejections, by application and quota. */
  readonly #counts = new Map<string, number>();
  #splitsLeft = MAX_SPLITS;

  constructor(options: RejectionsOptions) {
    this.#options = options;
  }

  /** Whether no application is known whose usage was rejected. */
  get isEmpty(): boolean {
    return this.#counts.size === 0;
  }

  /** Whether the last usage of the application was rejected. */
  has(usage: ApplicationUsage): boolean {
    return this.#counts.has(idOf(usage));
  }

  /** Must be called before each attempt to send everything. */
  beginRound(): void {
    this.#splitsLeft = MAX_SPLITS;
  }

  /** Returns the parts in which to send rejected usage again; undefined if it is not divided further. */
  split({ usage, error }: Rejected): readonly ApplicationUsage[] | undefined {
    const isTooLarge = error.status === TOO_LARGE;
    if (!isTooLarge && this.#splitsLeft === 0) return undefined;
    const halves = splitUsages([usage]);
    if (halves !== undefined && !isTooLarge) this.#splitsLeft -= 1;
    return halves?.flat();
  }

  /**
   * Puts the rejected parts of the usage of one application back, or drops them.
   *
   * @param isPartAccepted whether the upstream has accepted other parts of it
   */
  resolve(usage: ApplicationUsage, rejected: readonly Rejected[], isPartAccepted: boolean): void {
    if (isPartAccepted) this.#counts.delete(idOf(usage));
    const isolated = isPartAccepted ? rejected.filter(isSingleFlag) : [];
    this.#dropFlags(isolated);
    this.#count(rejected.filter((one) => !isolated.includes(one)));
  }

  /** Drops flags that the upstream rejects although it accepts others of the same application. */
  #dropFlags(isolated: readonly Rejected[]): void {
    const [first] = isolated;
    if (first === undefined) return;
    const { usage, error } = first;
    const names = this.#drop(isolated);
    this.#options.events.failure(error);
    const shown = names.slice(0, MAX_NAMES).map((name) => JSON.stringify(name));
    const rest = names.length > MAX_NAMES ? ` and ${names.length - MAX_NAMES} more` : "";
    const subject = `Usage of application ${JSON.stringify(usage.appName)} was dropped for the flags ${shown.join(", ")}${rest}`;
    this.#options.events.error(new Error(`${subject}: ${error.message}`, { cause: error }));
  }

  /** Puts usage back, or drops it after ten consecutive rejections of its application. */
  #count(rejected: readonly Rejected[]): void {
    const [first] = rejected;
    if (first === undefined) return;
    const { store, events, failureLog } = this.#options;
    const { usage, error } = first;
    failureLog.failed(error);
    const rejections = (this.#counts.get(idOf(usage)) ?? 0) + 1;
    if (rejections < MAX_REJECTIONS) {
      this.#counts.set(idOf(usage), rejections);
      for (const one of rejected) store.putBack(one.usage);
      return;
    }
    this.#counts.delete(idOf(usage));
    const { length: flags } = this.#drop(rejected);
    const subject = `Usage of application ${JSON.stringify(usage.appName)} (flags: ${flags})`;
    events.error(
      new Error(`${subject} was dropped: rejected ${rejections} times`, { cause: error }),
    );
  }

  /** Returns the names of the flags. */
  #drop(rejected: readonly Rejected[]): readonly string[] {
    const { store, drops } = this.#options;
    for (const { usage } of rejected) store.release(usage);
    const names = rejected.flatMap(({ usage }) => Object.keys(usage.features));
    drops.add("rejected", names.length);
    return names;
  }
}

function isSingleFlag({ usage }: Rejected): boolean {
  return Object.keys(usage.features).length === 1;
}

function idOf({ quotaId, appName }: ApplicationUsage): string {
  return JSON.stringify([quotaId, appName]);
}
