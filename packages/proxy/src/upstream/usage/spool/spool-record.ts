import { crc32 } from "node:zlib";
import type { ApplicationUsage, ChangeKind, PendingContent } from "../application-usage.ts";

export type SpoolRecord = { readonly kind: ChangeKind } & PendingContent;

/** The longest line that is read. A record has about the size of the body of a report, at most 1 MiB. */
export const MAX_LINE_BYTES: number = 8 * 1024 * 1024;

const CHECKSUM_LENGTH = 8;

/**
 * Writes a record as a line: the CRC-32 of the rest in hexadecimal, a space, and JSON. JSON contains no line break, so a
 * damaged line does not affect the others.
 */
export function toLine(kind: ChangeKind, content: PendingContent): string {
  const text = JSON.stringify({ kind, ...toMembers(content) });
  return `${checksumOf(text)} ${text}\n`;
}

function toMembers(content: PendingContent): object {
  if (!("usage" in content)) return content;
  const { quotaId, appName, startMs, features } = content.usage;
  return { appName, quotaId, startMs, features };
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
