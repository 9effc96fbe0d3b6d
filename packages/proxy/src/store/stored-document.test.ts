import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { fuzzRuns } from "../../../../scripts/test-size.ts";
import {
  decodeDocument,
  encodeDocument,
  InvalidDocument,
  packContent,
  unpackContent,
} from "./stored-document.ts";

const IDENTITY = { kind: "flags", source: "a".repeat(32), secret: "*:production.secret" };
const CONTENT = JSON.stringify({ features: [{ name: "ä", list: Array(50).fill("user") }] });
const TIME = 1_700_000_000_000;
const RUNS = { numRuns: fuzzRuns(100, 200) };

const packed = await packContent(CONTENT);
const document = encodeDocument({ ...packed, confirmedAtMs: TIME }, IDENTITY);

const decode = (bytes: Uint8Array, identity: Partial<typeof IDENTITY> = {}) =>
  decodeDocument(bytes, { ...IDENTITY, ...identity });

/** Replaces text in the first lines of the document. */
function edit(from: string | RegExp, to: string): Uint8Array {
  const text = Buffer.from(document).toString("latin1");
  const edited = text.replace(from, to);
  expect(edited).not.toBe(text);
  return Buffer.from(edited, "latin1");
}

test("a document contains its content, when it was confirmed, and no secret", async () => {
  const decoded = decode(document);
  expect(decoded.confirmedAtMs).toBe(TIME);
  expect(decoded.sha256).toBe(packed.sha256);
  expect(await unpackContent(decoded)).toBe(CONTENT);
  expect(Buffer.from(document).toString("latin1")).not.toContain("secret");
});

test("equal content has the same SHA-256, and different content has another one", async () => {
  expect((await packContent(CONTENT)).sha256).toBe(packed.sha256);
  expect((await packContent(`${CONTENT} `)).sha256).not.toBe(packed.sha256);
});

describe("decodeDocument()", () => {
  test.each<[string, () => unknown, string]>([
    ["an empty file", () => decode(Buffer.alloc(0)), "is incomplete"],
    ["text", () => decode(Buffer.from('{"features":[]}\n')), "was not written by this version"],
    ["a newer format", () => decode(edit("flags-store 1", "flags-store 2")), "was not written by"],
    ["a header that is not JSON", () => decode(edit("{", "[")), "has an invalid header"],
    ["a header that is null", () => decode(edit(/\{.*\}/, "null")), "has an invalid header"],
    ["a missing field", () => decode(edit("sha256", "sha255")), "has an invalid header"],
    ["a negative time", () => decode(edit(`:${TIME}`, ":-1")), "has an invalid header"],
    ["a truncated document", () => decode(document.subarray(0, -1)), "was damaged"],
    ["a document that ends after its header", () => decode(edit(/\}\n[^]*/, "}\n")), "was damaged"],
    ["an appended byte", () => decode(Buffer.concat([document, Buffer.of(0)])), "was damaged"],
    ["another source", () => decode(document, { source: "b".repeat(32) }), "belongs to another"],
    ["another kind", () => decode(document, { kind: "tokens" }), "belongs to another"],
    ["another secret", () => decode(document, { secret: "other" }), "was damaged, or not written"],
    ["another time", () => decode(edit(`${TIME}`, `${TIME + 1}`)), "was damaged"],
  ])("decodeDocument() rejects %s", (_name, run, message) => {
    expect(run).toThrow(InvalidDocument);
    expect(run).toThrow(message);
  });

  test("decodeDocument() rejects every flipped bit", () => {
    fc.assert(
      fc.property(
        fc.nat({ max: document.length - 1 }),
        fc.integer({ min: 1, max: 255 }),
        (at, mask) => {
          const damaged = Uint8Array.from(document);
          damaged[at] = (damaged[at] ?? 0) ^ mask;
          expect(() => decode(damaged)).toThrow(InvalidDocument);
        },
      ),
      RUNS,
    );
  });

  test("decodeDocument() rejects every truncation", () => {
    fc.assert(
      fc.property(fc.nat({ max: document.length - 1 }), (length) => {
        expect(() => decode(document.subarray(0, length))).toThrow(InvalidDocument);
      }),
      RUNS,
    );
  });

  test("decodeDocument() rejects random bytes, even after a valid beginning", () => {
    const beginnings = [0, 14, document.indexOf(0x0a, 14) + 1].map((end) =>
      document.subarray(0, end),
    );
    fc.assert(
      fc.property(
        fc.constantFrom(...beginnings),
        fc.uint8Array({ maxLength: 300 }),
        (start, rest) => {
          expect(() => decode(Buffer.concat([start, rest]))).toThrow(InvalidDocument);
        },
      ),
      RUNS,
    );
  });
});

describe("unpackContent()", () => {
  test("unpackContent() rejects content that is not compressed", async () => {
    const body = Buffer.from(CONTENT);
    await expect(unpackContent({ ...packed, body })).rejects.toThrow(InvalidDocument);
  });

  test("unpackContent() rejects content that is too large after decompression", async () => {
    const large = await packContent(" ".repeat(100_001));
    expect(large.body.length).toBeLessThan(1000);
    await expect(unpackContent(large, 100_000)).rejects.toThrow(InvalidDocument);
    expect(await unpackContent(large, 100_001)).toHaveLength(100_001);
  });
});
