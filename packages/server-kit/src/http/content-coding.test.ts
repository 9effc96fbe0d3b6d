import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { CodedBody, CodingChoice } from "./content-coding.ts";

test.each([
  ["gzip, deflate, br", "br"],
  ["gzip", "gzip"],
  ["GZIP", "gzip"],
  ["x-gzip", "gzip"],
  ["*", "gzip"],
  ["br;q=0.1, gzip;q=0.9", "gzip"],
  ["deflate", undefined],
  ["identity", undefined],
  ["", undefined],
])("CodingChoice.for() answers %j with %s, and remembers that", (accepted, coding) => {
  const choice = new CodingChoice();
  expect(choice.for(accepted)).toBe(coding);
  expect(choice.for(accepted)).toBe(coding);
});

test.each([
  ["small", 100],
  ["large", 100_000],
])("CodedBody.in() compresses a %s body once for each coding", async (_, count) => {
  const text = "flags ".repeat(count);
  const coded = new CodedBody(text);
  expect(coded.in("gzip")).toBe(coded.in("gzip"));
  expect(gunzipSync(await coded.in("gzip")).toString()).toBe(text);
  expect(brotliDecompressSync(await coded.in("br")).toString()).toBe(text);
});
