import type { ApplicationUsage, FeatureUsage } from "../flag-source.ts";
import { ApplicationCounts } from "./application-counts.ts";
import type { FeatureEntries } from "./application-counts.ts";
import { EntryBudget } from "./entry-budget.ts";
import type { UsageLimits } from "./limits.ts";
import { USAGE_LIMITS } from "./limits.ts";

/**
 * Usage counted since it was last delivered, by application.
 *
 * What was taken to be sent keeps its room until it is released or put back, so the limits can
 * never cost counts that were accepted before.
 */
export class UsageStore {
  readonly #applications = new Map<string, ApplicationCounts>();
  readonly #now: () => number;
  readonly #limits: UsageLimits;
  readonly #budget: EntryBudget;
  #refused = 0;

  constructor(now: () => number, limits: UsageLimits = USAGE_LIMITS) {
    this.#now = now;
    this.#limits = limits;
    this.#budget = new EntryBudget(limits.entries);
  }

  /** The applications that have counts, in the order they are to be sent. */
  get applications(): readonly string[] {
    return [...this.#applications.keys()];
  }

  /** How many calls of `count` found no room since this was last asked. */
  takeRefused(): number {
    const refused = this.#refused;
    this.#refused = 0;
    return refused;
  }

  /** Counts one flag of an application. */
  count(appName: string, feature: string, usage: FeatureUsage): void {
    const features = [[feature, usage]] as const;
    if (this.#hasRoomFor(appName, features)) this.#merge(appName, this.#now(), features);
    else this.#refused += 1;
  }

  /**
   * Adds what was counted elsewhere, all of it or, when there is no room, nothing: then it returns
   * false. Costs the same whatever the counts say.
   */
  add(usage: ApplicationUsage): boolean {
    const features = Object.entries(usage.features);
    if (!this.#hasRoomFor(usage.appName, features)) return false;
    this.#merge(usage.appName, usage.startMs, features);
    return true;
  }

  /** Takes what one application has to send; undefined when that is nothing. */
  take(appName: string): ApplicationUsage | undefined {
    const counts = this.#applications.get(appName);
    if (counts === undefined) return undefined;
    const { startMs } = counts;
    const features = counts.take();
    if (Object.keys(features).length === 0) return undefined;
    counts.startMs = this.#now();
    return { appName, startMs, features };
  }

  /** Gives back what could not be delivered; its application goes to the end of the line. */
  putBack(usage: ApplicationUsage): void {
    this.#merge(usage.appName, usage.startMs, Object.entries(usage.features));
    const counts = this.#applications.get(usage.appName);
    if (counts === undefined) return;
    this.#applications.delete(usage.appName);
    this.#applications.set(usage.appName, counts);
  }

  /** Forgets what was delivered. */
  release(usage: ApplicationUsage): void {
    const counts = this.#applications.get(usage.appName);
    counts?.settle(Object.keys(usage.features));
    this.#forgetIfEmpty(usage.appName, counts);
  }

  #hasRoomFor(appName: string, features: FeatureEntries): boolean {
    const { applications, nameLength } = this.#limits;
    const known = this.#applications.get(appName);
    if (known !== undefined) return this.#budget.hasRoomFor(known.measure(features));
    const entries = new ApplicationCounts(0, this.#limits, this.#budget).measure(features);
    if (entries === 0) return true;
    const fits = this.#applications.size < applications && appName.length <= nameLength;
    return fits && this.#budget.hasRoomFor(1 + entries);
  }

  #merge(appName: string, startMs: number, features: FeatureEntries): void {
    const nowMs = this.#now();
    const sinceMs = startMs >= 0 && startMs <= nowMs ? startMs : nowMs;
    const counts = this.#applications.get(appName) ?? this.#admit(appName, sinceMs);
    counts.startMs = Math.min(counts.startMs, sinceMs);
    for (const [name, feature] of features) counts.add(name, feature);
    this.#forgetIfEmpty(appName, counts);
  }

  #admit(appName: string, sinceMs: number): ApplicationCounts {
    this.#budget.claim();
    const admitted = new ApplicationCounts(sinceMs, this.#limits, this.#budget);
    this.#applications.set(appName, admitted);
    return admitted;
  }

  #forgetIfEmpty(appName: string, counts: ApplicationCounts | undefined): void {
    if (counts === undefined || !counts.isEmpty) return;
    this.#applications.delete(appName);
    this.#budget.free(1);
  }
}
