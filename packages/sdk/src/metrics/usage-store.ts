import type { ApplicationUsage, FeatureUsage } from "../flag-source.ts";
import { ApplicationCounts } from "./application-counts.ts";
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

  constructor(now: () => number, limits: UsageLimits = USAGE_LIMITS) {
    this.#now = now;
    this.#limits = limits;
    this.#budget = new EntryBudget(limits.entries);
  }

  /** The applications that have counts, in the order they are to be sent. */
  get applications(): readonly string[] {
    return [...this.#applications.keys()];
  }

  /** How many names found no room since the last call. */
  takeRefused(): number {
    return this.#budget.takeRefused();
  }

  /** Counts one flag of an application. */
  count(appName: string, feature: string, usage: FeatureUsage): void {
    const counts = this.#ensure(appName, this.#now());
    counts?.add(feature, usage);
    this.#forgetIfEmpty(appName, counts);
  }

  /** Adds what was counted elsewhere; costs the same whatever the counts say. */
  add(usage: ApplicationUsage): void {
    const counts = this.#ensure(usage.appName, usage.startMs);
    for (const [name, feature] of Object.entries(usage.features)) counts?.add(name, feature);
    this.#forgetIfEmpty(usage.appName, counts);
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
    this.add(usage);
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

  #ensure(appName: string, startMs: number): ApplicationCounts | undefined {
    const nowMs = this.#now();
    const sinceMs = startMs >= 0 && startMs <= nowMs ? startMs : nowMs;
    const known = this.#applications.get(appName);
    if (known === undefined) return this.#admit(appName, sinceMs);
    known.startMs = Math.min(known.startMs, sinceMs);
    return known;
  }

  #admit(appName: string, sinceMs: number): ApplicationCounts | undefined {
    const { applications, nameLength } = this.#limits;
    const fits = this.#applications.size < applications && appName.length <= nameLength;
    if (!this.#budget.claim(fits)) return undefined;
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
