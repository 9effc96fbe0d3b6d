import type { ApplicationRegistration } from "../../flag-source.ts";
import { addSeries, toMetric, toSeries } from "../impact-series.ts";
import type { ImpactSeries } from "../impact-series.ts";
import { registrationId } from "../registration-buffer.ts";
import { UsageTotals } from "../usage-totals.ts";
import type { SpoolContent, SpoolRecord } from "./spool-record.ts";

/**
 * The sum of all records: the usage, impact metrics and registrations that are still to be
 * delivered.
 */
export class SpoolTotals {
  readonly #usage = new UsageTotals();
  /** By quota and key. */
  readonly #impactMetrics = new Map<string, Map<string, ImpactSeries>>();
  /** By quota and id. */
  readonly #registrations = new Map<string, ApplicationRegistration>();

  apply(record: SpoolRecord): void {
    if ("usage" in record) this.#usage[record.kind](record.usage);
    else if ("impactMetrics" in record) this.#applyImpactMetrics(record);
    else this.#applyRegistration(record);
  }

  *values(): Generator<SpoolContent, undefined, undefined> {
    for (const usage of this.#usage.values()) yield { usage };
    for (const [quotaId, series] of this.#impactMetrics) {
      for (const one of series.values()) yield { quotaId, impactMetrics: [toMetric(one)] };
    }
    for (const registration of this.#registrations.values()) yield { registration };
    return undefined;
  }

  #applyImpactMetrics({
    kind,
    quotaId,
    impactMetrics,
  }: Extract<SpoolRecord, { readonly impactMetrics: unknown }>): void {
    const quota = this.#impactMetrics.get(quotaId) ?? new Map<string, ImpactSeries>();
    this.#impactMetrics.set(quotaId, quota);
    for (const series of impactMetrics.flatMap(toSeries)) {
      const previous = kind === "set" ? undefined : quota.get(series.key);
      if (kind === "remove") quota.delete(series.key);
      else quota.set(series.key, addSeries(previous, series));
    }
  }

  #applyRegistration({
    kind,
    registration,
  }: Extract<SpoolRecord, { readonly registration: unknown }>): void {
    const key = JSON.stringify([registration.quotaId, registrationId(registration)]);
    if (kind === "remove") this.#registrations.delete(key);
    else this.#registrations.set(key, registration);
  }
}
