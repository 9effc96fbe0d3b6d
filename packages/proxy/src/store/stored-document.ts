import { createHash, createHmac, timingSafeEqual } from "node:crypto";
import { promisify } from "node:util";
import { gunzip, gzip } from "node:zlib";
import { tryParseJson } from "flags-server-kit/neutral";

const compress = promisify(gzip);
const decompress = promisify(gunzip);

/** The first line of every document. The number is increased when older versions cannot read the format. */
const MAGIC = "flags-store";
const FORMAT = 1;

/** The size limit of content: the same as for responses of the upstream. */
const MAX_CONTENT_BYTES = 64 * 1024 * 1024;
const MAX_HEADER_BYTES = 4096;
/** 64 hexadecimal digits and a line break. */
const MAC_LINE_BYTES = 65;
const NEWLINE = 0x0a;

export interface PackedContent {
  /** The SHA-256 of the content in hexadecimal digits: equal content has an equal hash in every replica. */
  readonly sha256: string;
  /** The compressed content. */
  readonly body: Uint8Array;
}

export interface DocumentIdentity {
  /** What the content is, such as `flags`. */
  readonly kind: string;
  /** What the content belongs to: it must not be used for anything else. */
  readonly source: string;
  /** Never stored. Only readers that have it accept the document. */
  readonly secret: string;
}

/** A document that is authentic and complete. */
export interface StoredDocument extends PackedContent {
  /** When the content was last known to be current, epoch milliseconds. */
  readonly confirmedAtMs: number;
}

/** Why a document is not used. Completes a sentence that begins with "The document". */
export class InvalidDocument extends Error {
  override readonly name = "InvalidDocument";
}

export async function packContent(content: string): Promise<PackedContent> {
  return { sha256: toSha256(content), body: await compress(content) };
}

/**
 * @throws {InvalidDocument} if it is not compressed, or too long
 */
export async function unpackContent(
  { body }: PackedContent,
  maxOutputLength = MAX_CONTENT_BYTES,
): Promise<string> {
  try {
    const content = await decompress(body, { maxOutputLength });
    return content.toString();
  } catch (cause) {
    throw new InvalidDocument("cannot be decompressed", { cause });
  }
}

/**
 * Writes a document: a line with the format, a header in one line of JSON, a line with the code that
 * authenticates everything else, and the compressed content.
 */
export function encodeDocument(
  { confirmedAtMs, sha256, body }: StoredDocument,
  { kind, source, secret }: DocumentIdentity,
): Uint8Array {
  const header = JSON.stringify({ kind, source, confirmedAtMs, sha256 });
  const head = Buffer.from(`${MAGIC} ${FORMAT}\n${header}\n`);
  return Buffer.concat([head, authenticate(secret, head, body), body]);
}

/**
 * @throws {InvalidDocument} if it is damaged, incomplete, of another format or source, or not written by a
 *   program that has the secret
 */
export function decodeDocument(
  bytes: Uint8Array,
  { kind, source, secret }: DocumentIdentity,
): StoredDocument {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const formatEnd = checkFormat(buffer);
  const headEnd = endOfLine(buffer, formatEnd);
  const header = parseHeader(buffer.toString("utf8", formatEnd, headEnd));
  const bodyStart = headEnd + MAC_LINE_BYTES;
  if (header.kind !== kind || header.source !== source) {
    throw new InvalidDocument("belongs to another upstream, token or selection of flags");
  }
  const body = buffer.subarray(bodyStart);
  const mac = buffer.subarray(headEnd, bodyStart);
  const expected = authenticate(secret, buffer.subarray(0, headEnd), body);
  if (mac.length !== expected.length || !timingSafeEqual(mac, expected)) {
    throw new InvalidDocument("was damaged, or not written with the upstream token");
  }
  return { confirmedAtMs: header.confirmedAtMs, sha256: header.sha256, body };
}

/** Returns where the first line ends. */
function checkFormat(buffer: Buffer): number {
  const end = endOfLine(buffer, 0);
  if (buffer.toString("latin1", 0, end - 1) === `${MAGIC} ${FORMAT}`) return end;
  throw new InvalidDocument("was not written by this version of the program");
}

/** Returns the position after the next line break. */
function endOfLine(buffer: Buffer, start: number): number {
  const at = buffer.subarray(start, start + MAX_HEADER_BYTES).indexOf(NEWLINE);
  if (at === -1) throw new InvalidDocument("is incomplete, or was not written by this program");
  return start + at + 1;
}

interface DocumentHeader {
  readonly kind: string;
  readonly source: string;
  readonly confirmedAtMs: number;
  readonly sha256: string;
}

function parseHeader(line: string): DocumentHeader {
  const header = tryParseJson(line) as Partial<Record<keyof DocumentHeader, unknown>> | undefined;
  const { kind, source, confirmedAtMs, sha256 } = header ?? {};
  if (
    typeof kind !== "string" ||
    typeof source !== "string" ||
    typeof sha256 !== "string" ||
    !isCount(confirmedAtMs)
  ) {
    throw new InvalidDocument("has an invalid header");
  }
  return { kind, source, confirmedAtMs, sha256 };
}

function isCount(value: unknown): value is number {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0;
}

/** Returns the line that authenticates a document. */
function authenticate(secret: string, head: Uint8Array, body: Uint8Array): Buffer {
  const mac = createHmac("sha256", secret).update(`${MAGIC}\0`).update(head).update(body);
  return Buffer.from(`${mac.digest("hex")}\n`);
}

function toSha256(content: string): string {
  return createHash("sha256").update(content).digest("hex");
}
