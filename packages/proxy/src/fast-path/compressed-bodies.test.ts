import { gunzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { CompressedBodies } from "./compressed-bodies.ts";

const TAG = 'W/"tag"';

test("compress() compresses a frequent body once", async () => {
  const bodies = new CompressedBodies();
  const compress = () => bodies.compress(TAG, Buffer.from("a body"), "gzip");
  for (let i = 0; i < 5; i++) expect(gunzipSync(await compress()).toString()).toBe("a body");
  expect(await compress()).toBe(await compress());
});

test("compress() never takes another body with the same entity tag for this one", async () => {
  const bodies = new CompressedBodies();
  for (let i = 0; i < 5; i++) {
    for (const text of ["a body", "another"]) {
      // oxlint-disable-next-line no-await-in-loop -- the order matters
      const compressed = await bodies.compress(TAG, Buffer.from(text), "gzip");
      expect(gunzipSync(compressed).toString()).toBe(text);
    }
  }
});
