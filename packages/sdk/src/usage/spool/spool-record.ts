import { crc32 } from "node:zlib";
import { isRecord } from "flags-engine";
import type { ApplicationUsage } from "../../flag-source.ts";
import { toChunks } from "../bulk-report.ts";

/**
 * A change of the pending usage: `add` when it was accepted, `remove` when it was delivered or dropped.
 * `set` replaces the counts of the flags it names, and so makes all earlier records of them unnecessary.
 */
export type RecordKind = "add" | "remove" | "set";

export interface SpoolRecord {
  readonly kind: RecordKind;
  readonly usage: ApplicationUsage;
}

/** The longest line that is read, in bytes. Lines are much shorter, unless they are damaged. */
export const MAX_LINE_BYTES: number = 4 * 1024 * 1024;

/** UTF-16 code units. Longer records are divided. */
const MAX_TEXT_LENGTH = 256 * 1024;

const CHECKSUM_LENGTH = 8;

/**
 * Writes a record as lines: the CRC-32 of the rest in hexadecimal, a space, and JSON. JSON contains no
 * line break, so a damaged line does not affect the others. A large record becomes several lines.
 */
export function toLines(kind: RecordKind, usage: ApplicationUsage): readonly string[] {
  const { quotaId, appName, startMs, features } = usage;
  const toText = (part: ApplicationUsage["features"]): string =>
    JSON.stringify({ kind, appName, quotaId, startMs, features: part });
  const text = toText(features);
  if (text.length <= MAX_TEXT_LENGTH) return [toLine(text)];
  const chunks = toChunks(Object.entries(features), (entry) => JSON.stringify(entry));
  return chunks.map(({ items }) => toLine(toText(Object.fromEntries(items))));
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
  const { kind, appName, quotaId, startMs, features } = parsed;
  if (kind !== "add" && kind !== "remove" && kind !== "set") return undefined;
  if (typeof appName !== "string" || typeof startMs !== "number") return undefined;
  if (quotaId !== undefined && typeof quotaId !== "string") return undefined;
  if (!isRecord(features) || !Object.values(features).every(isFeatureUsage)) return undefined;
  const usage = { appName, startMs, features } as unknown as ApplicationUsage;
  return { kind, usage: quotaId === undefined ? usage : { ...usage, quotaId } };
}

function isFeatureUsage(value: unknown): boolean {
  return isRecord(value) && (value["variants"] === undefined || isRecord(value["variants"]));
}
