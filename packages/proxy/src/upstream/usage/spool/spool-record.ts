import { crc32 } from "node:zlib";
import { isRecord } from "flags-engine";
import type {
  ApplicationRegistration,
  ApplicationUsage,
  ImpactMetric,
} from "../application-usage.ts";
import { addSeries, toImpactMetric, toSeries } from "../impact-metrics.ts";
import type { ImpactSeries } from "../impact-metrics.ts";
import { registrationId } from "../registration-buffer.ts";
import { UsageTotals } from "../usage-totals.ts";

/**
 * A change of what is pending: `add` when it was accepted, `remove` when it was delivered or dropped.
 * `set` replaces the counts of the flags, or the impact metrics with the labels, that it names, and so makes
 * all earlier records of them unnecessary.
 */
export type RecordKind = "add" | "remove" | "set";

/** What a record is about. */
export type SpoolContent =
  | { readonly usage: ApplicationUsage }
  | { readonly quotaId: string; readonly impactMetrics: readonly ImpactMetric[] }
  | { readonly registration: ApplicationRegistration };

export type SpoolRecord = { readonly kind: RecordKind } & SpoolContent;

/** The longest line that is read, in bytes. Lines are much shorter, unless they are damaged. */
export const MAX_LINE_BYTES: number = 4 * 1024 * 1024;

/** UTF-16 code units. Longer records are divided. */
const MAX_TEXT_LENGTH = 256 * 1024;

const CHECKSUM_LENGTH = 8;

/**
 * Writes a record as lines: the CRC-32 of the rest in hexadecimal, a space, and JSON. JSON contains no
 * line break, so a damaged line does not affect the others. A large record becomes several lines.
 */
export function toLines(kind: RecordKind, content: SpoolContent): readonly string[] {
  const text = JSON.stringify({ kind, ...toMembers(content) });
  const parts = divide(content, Math.ceil(text.length / MAX_TEXT_LENGTH));
  return parts.length < 2 ? [toLine(text)] : parts.flatMap((part) => toLines(kind, part));
}

function toMembers(content: SpoolContent): object {
  if (!("usage" in content)) return content;
  const { quotaId, appName, startMs, features } = content.usage;
  return { appName, quotaId, startMs, features };
}

/** Divides content into about as many parts of equal length as given; one, if it cannot be divided. */
function divide(content: SpoolContent, partCount: number): readonly SpoolContent[] {
  if (partCount < 2 || "registration" in content) return [content];
  if ("usage" in content) {
    const { usage } = content;
    return divideList(Object.entries(usage.features), partCount).map((part) => ({
      usage: { ...usage, features: Object.fromEntries(part) },
    }));
  }
  const { quotaId, impactMetrics } = content;
  return divideList(impactMetrics, partCount).map((part) => ({ quotaId, impactMetrics: part }));
}

function divideList<Item>(items: readonly Item[], partCount: number): readonly (readonly Item[])[] {
  const length = Math.ceil(items.length / partCount);
  return Array.from({ length: Math.ceil(items.length / length) }, (_, index) =>
    items.slice(index * length, (index + 1) * length),
  );
}

function toLine(text: string): string {
  return `${checksumOf(text)} ${text}\n`;
}

function checksumOf(content: string | Buffer): string {
  return crc32(content).toString(16).padStart(CHECKSUM_LENGTH, "0");
}

/** Reads a line without its line break. Returns undefined if it is damaged. */
export function readLine(line: Buffer): SpoolRecord | undefined {
  const content = line.subarray(CHECKSUM_LENGTH + 1);
  if (line.toString("latin1", 0, CHECKSUM_LENGTH + 1) !== `${checksumOf(content)} `)
    return undefined;
  return toRecord(parse(content.toString()));
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function toRecord(parsed: unknown): SpoolRecord | undefined {
  if (!isRecord(parsed)) return undefined;
  const { kind } = parsed;
  if (kind !== "add" && kind !== "remove" && kind !== "set") return undefined;
  const content = readImpactMetrics(parsed) ?? readRegistration(parsed) ?? readUsage(parsed);
  return content && { kind, ...content };
}

function readUsage(parsed: Readonly<Record<string, unknown>>): SpoolContent | undefined {
  const { appName, quotaId, startMs, features } = parsed;
  if (typeof appName !== "string" || typeof startMs !== "number") return undefined;
  if (quotaId !== undefined && typeof quotaId !== "string") return undefined;
  if (!isRecord(features) || !Object.values(features).every(isFeatureUsage)) return undefined;
  const usage = { appName, startMs, features } as unknown as ApplicationUsage;
  return { usage: quotaId === undefined ? usage : { ...usage, quotaId } };
}

function isFeatureUsage(value: unknown): boolean {
  return isRecord(value) && (value["variants"] === undefined || isRecord(value["variants"]));
}

function readImpactMetrics(parsed: Readonly<Record<string, unknown>>): SpoolContent | undefined {
  const { quotaId, impactMetrics } = parsed;
  if (typeof quotaId !== "string" || !Array.isArray(impactMetrics)) return undefined;
  return impactMetrics.every(isImpactMetric) ? { quotaId, impactMetrics } : undefined;
}

function isImpactMetric(value: unknown): value is ImpactMetric {
  if (!isRecord(value) || !Array.isArray(value["samples"])) return false;
  const { name, help, samples } = value;
  return typeof name === "string" && typeof help === "string" && samples.every(isImpactSample);
}

function isImpactSample(value: unknown): boolean {
  if (!isRecord(value) || !isRecord(value["labels"])) return false;
  const { buckets } = value;
  return buckets === undefined || (Array.isArray(buckets) && buckets.every(isRecord));
}

function readRegistration(parsed: Readonly<Record<string, unknown>>): SpoolContent | undefined {
  const { registration } = parsed;
  if (!isRecord(registration) || typeof registration["appName"] !== "string") return undefined;
  return { registration: registration as unknown as ApplicationRegistration };
}

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
      for (const one of series.values()) yield { quotaId, impactMetrics: [toImpactMetric(one)] };
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
