import { createGunzip, gunzipSync } from "node:zlib";
import fc from "fast-check";
import { expect, test } from "vitest";
import { anyCharacter } from "../../../../scripts/any-character.ts";
import { acceptsGzip } from "./accepts-gzip.ts";
import { GzipStream } from "./gzip-stream.ts";

test("the parts of any number of streams that share events decompress to these events", () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: anyCharacter }), { maxLength: 20 }), (texts) => {
      const events = texts.map((text) => Buffer.from(text));
      for (const sent of [events, events.slice(1), [...events, ...events]]) {
        const stream = new GzipStream();
        const parts = sent.map((event) => stream.compress(event));
        const body = Buffer.concat([stream.start(), ...parts, stream.end()]);
        expect(gunzipSync(body)).toEqual(Buffer.concat(sent));
      }
    }),
  );
});

test("a client can decompress every part as soon as it arrives", async () => {
  const stream = new GzipStream();
  const client = createGunzip();
  client.write(stream.start());
  for (const text of ["event: a\n\n", ":\n\n", "x".repeat(100_000)]) {
    client.write(stream.compress(text));
    let received = "";
    while (received.length < text.length) {
      // oxlint-disable-next-line no-await-in-loop -- one part after the other
      const chunk = await new Promise<Buffer>((resolve) => client.once("data", resolve));
      received += chunk.toString();
    }
    expect(received).toBe(text);
  }
  client.end(stream.end());
});

test("equal bytes are compressed once", () => {
  const event = Buffer.from("event: a\n\n");
  expect(new GzipStream().compress(event)).toBe(new GzipStream().compress(event));
});

test.each([
  ["gzip, deflate, br", true],
  ["GZIP;q=0.5", true],
  ["br", false],
  ["gzip;q=0, br", false],
  ["identity", false],
  ["", false],
  [undefined, false],
])("acceptsGzip(%j) is %s", (header, expected) => {
  expect(acceptsGzip(header)).toBe(expected);
});
