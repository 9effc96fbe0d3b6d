import type { FairShare } from "flags-server-kit/neutral";
import type { ChangeKind, ImpactMetric, ImpactSample, Journal } from "./application-usage.ts";
import { toChunks } from "./bulk-report.ts";
import { USAGE_LIMITS } from "./usage-limits.ts";

/** One combination of impact metric and labels. */
interface ImpactSeries {
  /** Two series with equal keys are added up. */
  readonly key: string;
  readonly metric: Omit<ImpactMetric, "samples">;
  readonly sample: ImpactSample;
  /** Estimated memory. */
  readonly bytes: number;
}

const SERIES_BYTES = 400;
const BUCKET_BYTES = 64;

/** Returns one series for each sample. */
function toSeries({ samples, ...metric }: ImpactMetric): readonly ImpactSeries[] {
  return samples.map((sample) => ({
    key: keyOf(metric, sample),
    metric,
    sample,
    bytes: bytesOf(metric, sample),
  }));
}

/** Returns the series as a metric with one sample. */
function toImpactMetric({ metric, sample }: ImpactSeries): ImpactMetric {
  return { ...metric, samples: [sample] };
}

/** Adds a later series to one with the same key: for gauges, the later value remains. */
function addSeries(previous: ImpactSeries | undefined, series: ImpactSeries): ImpactSeries {
  if (previous === undefined || series.metric.type === "gauge") return series;
  return { ...series, sample: addSamples(previous.sample, series.sample) };
}

function bytesOf(metric: ImpactSeries["metric"], sample: ImpactSample): number {
  const labels = Object.entries(sample.labels);
  const texts = [metric.name, metric.help, ...labels.flat()];
  const characters = texts.reduce((sum, text) => sum + text.length, 0);
  const buckets = "buckets" in sample ? sample.buckets.length : 0;
  return SERIES_BYTES + 2 * 2 * characters + BUCKET_BYTES * buckets;
}

function keyOf(metric: ImpactSeries["metric"], sample: ImpactSample): string {
  const labels = Object.entries(sample.labels).toSorted(([a], [b]) => (a < b ? -1 : 1));
  const bounds = "buckets" in sample ? sample.buckets.map(({ le }) => le) : [];
  return JSON.stringify([metric.type, metric.name, labels, bounds]);
}

/** Adds samples of one series, whose buckets have equal bounds. */
function addSamples(previous: ImpactSample, sample: ImpactSample): ImpactSample {
  if ("value" in previous && "value" in sample) {
    return { ...sample, value: add(previous.value, sample.value) };
  }
  if (!("buckets" in previous) || !("buckets" in sample)) return sample;
  return {
    ...sample,
    count: add(previous.count, sample.count),
    sum: add(previous.sum, sample.sum),
    buckets: sample.buckets.map(({ le, count }, index) => ({
      le,
      count: add(count, previous.buckets[index]?.count ?? 0),
    })),
  };
}

// JSON has no infinity, and an upstream may reject a whole report that contains null instead.
const LARGEST = 1e300;

function add(a: number, b: number): number {
  return Math.min(Math.max(a + b, -LARGEST), LARGEST);
}

/** Impact metrics of one quota to be sent in one request. */
export interface TakenImpactMetrics {
  readonly quotaId: string;
  readonly series: readonly ImpactSeries[];
  /** Entries of the list `impactMetrics`, each as JSON. */
  readonly texts: readonly string[];
}

interface PendingSeries {
  total: ImpactSeries;
  /** What was accepted since `total` was taken for sending; undefined if nothing was, or if it was not taken. */
  newer: ImpactSeries | undefined;
  isTaken: boolean;
}

/**
 * Stores impact metrics until they are delivered, aggregated by metric and labels: SDKs report
 * increments of counters and histograms, and the latest value of gauges. So during an outage the
 * memory grows only with the number of different labels. `take` returns what to send, and `release` removes what was
 * delivered; a failed delivery needs nothing.
 */
export class ImpactMetricsBuffer {
  readonly #memory: FairShare;
  readonly #journal: Journal;
  /** By quota and key. */
  readonly #quotas = new Map<string, Map<string, PendingSeries>>();

  constructor(memory: FairShare, journal: Journal) {
    this.#memory = memory;
    this.#journal = journal;
  }

  get isEmpty(): boolean {
    return this.#quotas.size === 0;
  }

  /** Returns the number of samples dropped because the limit of their quota is reached. */
  add(quotaId: string, metrics: readonly ImpactMetric[]): number {
    let dropped = 0;
    const impactMetrics: ImpactMetric[] = [];
    for (const metric of metrics) {
      const series = toSeries(metric).filter((one) => this.#fits(quotaId, one));
      dropped += metric.samples.length - series.length;
      const samples = series.map(({ sample }) => sample);
      if (samples.length > 0) impactMetrics.push({ ...metric, samples });
    }
    if (impactMetrics.length > 0) this.#journal("add", { quotaId, impactMetrics });
    return dropped;
  }

  /** Adds metrics of an earlier process, regardless of limits. For gauges, the newer value remains. */
  restore(quotaId: string, metrics: readonly ImpactMetric[]): void {
    for (const older of metrics.flatMap(toSeries)) {
      const hasNewer = this.#quotas.get(quotaId)?.has(older.key) === true;
      if (older.metric.type !== "gauge" || !hasNewer) this.#merge(quotaId, older);
    }
  }

  /** Applies a change that an earlier process has recorded, regardless of limits. */
  apply(kind: ChangeKind, quotaId: string, metrics: readonly ImpactMetric[]): void {
    for (const series of metrics.flatMap(toSeries)) {
      if (kind !== "add") this.#replace(quotaId, series.key, undefined);
      if (kind !== "remove") this.#merge(quotaId, series);
    }
  }

  /** Yields everything. Each metric is read when it is yielded. */
  *values(): Generator<readonly [quotaId: string, metric: ImpactMetric], undefined, undefined> {
    for (const [quotaId, quota] of Array.from(this.#quotas)) {
      for (const key of Array.from(quota.keys())) {
        const pending = quota.get(key);
        if (pending !== undefined) yield [quotaId, toImpactMetric(pending.total)];
      }
    }
    return undefined;
  }

  /** Returns everything for sending. */
  take(): readonly TakenImpactMetrics[] {
    return [...this.#quotas].flatMap(([quotaId, quota]) => {
      const series = Array.from(quota.values(), (pending) => {
        pending.newer = undefined;
        pending.isTaken = true;
        return pending.total;
      });
      const chunks = toChunks(series, (one) => JSON.stringify(toImpactMetric(one)));
      return chunks.map(({ items, texts }) => ({ quotaId, series: items, texts }));
    });
  }

  /** Removes metrics that were delivered or dropped. */
  release({ quotaId, series }: TakenImpactMetrics): void {
    const removed: ImpactMetric[] = [];
    const changed: ImpactMetric[] = [];
    for (const delivered of series) {
      const newer = this.#quotas.get(quotaId)?.get(delivered.key)?.newer;
      this.#replace(quotaId, delivered.key, newer);
      if (newer === undefined) removed.push(toImpactMetric(delivered));
      else changed.push(toImpactMetric(newer));
    }
    if (removed.length > 0) this.#journal("remove", { quotaId, impactMetrics: removed });
    if (changed.length > 0) this.#journal("set", { quotaId, impactMetrics: changed });
  }

  /** Adds a series; returns false if a limit is exceeded. */
  #fits(quotaId: string, series: ImpactSeries): boolean {
    const existing = this.#quotas.get(quotaId);
    const fits =
      existing?.has(series.key) === true ||
      ((existing?.size ?? 0) < USAGE_LIMITS.impactSeries &&
        this.#memory.canClaim(quotaId, series.bytes));
    if (fits) this.#merge(quotaId, series);
    return fits;
  }

  #merge(quotaId: string, series: ImpactSeries): void {
    const { key } = series;
    const pending = this.#quotas.get(quotaId)?.get(key);
    if (pending === undefined) {
      this.#replace(quotaId, key, series);
      return;
    }
    const { bytes } = pending.total;
    pending.total = addSeries(pending.total, series);
    // NOTE: the size may change, because series with different help texts are merged.
    this.#memory.claim(quotaId, pending.total.bytes - bytes);
    if (pending.isTaken) pending.newer = addSeries(pending.newer, series);
  }

  #replace(quotaId: string, key: string, total: ImpactSeries | undefined): void {
    const quota = this.#quotas.get(quotaId) ?? new Map<string, PendingSeries>();
    this.#quotas.set(quotaId, quota);
    this.#memory.claim(quotaId, (total?.bytes ?? 0) - (quota.get(key)?.total.bytes ?? 0));
    if (total === undefined) quota.delete(key);
    else quota.set(key, { total, newer: undefined, isTaken: false });
    if (quota.size === 0) this.#quotas.delete(quotaId);
  }
}
