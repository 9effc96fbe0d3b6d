import { crc32 } from "node:zlib";
import type { ApplicationUsage, ChangeKind, PendingContent } from "../application-usage.ts";

export type SpoolRecord = { readonly kind: ChangeKind } & PendingContent;

/** The longest line that is read, in bytes. Lines are much shorter, unless they are damaged. */
export const MAX_LINE_BYTES: number = 4 * 1024 * 1024;

/** UTF-16 code units. Longer records are divided. */
const MAX_TEXT_LENGTH = 256 * 1024;

const CHECKSUM_LENGTH = 8;

/**
 * Writes a record as lines: the CRC-32 of the rest in hexadecimal, a space, and JSON. JSON contains no
 * line break, so a damaged line does not affect the others. A large record becomes several lines.
 */
export function toLines(kind: ChangeKind, content: PendingContent): readonly string[] {
  const text = JSON.stringify({ kind, ...toMembers(content) });
  const parts = divide(content, Math.ceil(text.length / MAX_TEXT_LENGTH));
  return parts.length < 2 ? [toLine(text)] : parts.flatMap((part) => toLines(kind, part));
}

function toMembers(content: PendingContent): object {
  if (!("usage" in content)) return content;
  const { quotaId, appName, startMs, features } = content.usage;
  return { appName, quotaId, startMs, features };
}

/** Divides content into about as many parts of equal length as given; one, if it cannot be divided. */
function divide(content: PendingContent, partCount: number): readonly PendingContent[] {
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

/** Returns undefined if the line is damaged. */
export function readLine(line: Buffer): SpoolRecord | undefined {
  const content = line.subarray(CHECKSUM_LENGTH + 1);
  if (line.toString("latin1", 0, CHECKSUM_LENGTH + 1) !== `${checksumOf(content)} `)
    return undefined;
  return toRecord(JSON.parse(content.toString()));
}

/** NOTE: the checksum and the version in the first line of the file show that this version has written the line. */
function toRecord(parsed: unknown): SpoolRecord {
  const { kind, ...content } = parsed as ApplicationUsage & { readonly kind: ChangeKind };
  return "features" in content ? { kind, usage: content } : (parsed as SpoolRecord);
}
