import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { toEntityTag } from "flags-sdk/neutral";
import { ResponseBody, toBinaryString } from "../core/http/response-body.ts";
import { ReplyCompressor } from "./compress-replies.ts";

const LONG = "ø".repeat(1024);

function bodyOf(text: string, entityTag = toEntityTag(text)): ResponseBody {
  return new ResponseBody(toBinaryString(text), entityTag);
}

async function encode(
  body: ResponseBody | string,
  requestHeaders: Record<string, string>,
  {
    compressor = new ReplyCompressor(),
    isShareable = true,
    headers = {},
  }: {
    readonly compressor?: ReplyCompressor;
    readonly isShareable?: boolean;
    readonly headers?: Record<string, string>;
  } = {},
) {
  const bytes = await compressor.encode(requestHeaders, {
    status: 200,
    headers,
    body,
    isShareable,
  });
  return { bytes, header: (name: string) => headers[name] };
}

test("encode() returns the bytes and their length", async () => {
  const { bytes, header } = await encode(bodyOf(LONG), {});
  expect(header("content-length")).toBe("2048");
  expect(header("content-encoding")).toBeUndefined();
  expect(Buffer.from(bytes?.toString("latin1") ?? "", "latin1").toString()).toBe(LONG);
});

test.each([
  ["a long body", LONG, { "accept-encoding": "gzip" }, "gzip"],
  ["a short body", "short", { "accept-encoding": "gzip" }, undefined],
  ["a client that accepts no coding", LONG, {}, undefined],
  [
    "a client that opts out",
    LONG,
    { "accept-encoding": "gzip", "x-no-compression": "1" },
    undefined,
  ],
])("encode() chooses the content coding for %s", async (_, text, headers, coding) => {
  const { bytes, header } = await encode(bodyOf(text), headers);
  expect(header("content-encoding")).toBe(coding);
  expect(header("content-length")).toBe(String(bytes?.length));
});

test.each([
  [{}, { vary: "accept-encoding" }],
  [{ vary: "Origin" }, { vary: "Origin, accept-encoding" }],
  [{ vary: "accept-encoding, origin" }, { vary: "accept-encoding, origin" }],
  [{ etag: '"7"' }, { etag: 'W/"7"', vary: "accept-encoding" }],
])("encode() completes the headers %j of a text that it compresses", async (sent, expected) => {
  const headers = { ...sent };
  const { bytes } = await encode(toBinaryString(LONG), { "accept-encoding": "gzip" }, { headers });
  expect(headers).toMatchObject(expected);
  expect(gunzipSync(bytes as Buffer).toString()).toBe(LONG);
});

test.each(["größer 🚩".repeat(200), "x".repeat(200_000)])(
  "encode() compresses a body that was sent before: %.20s",
  async (text) => {
    const body = bodyOf(text);
    body.bytesToSend();
    body.bytesToSend();
    const compressor = new ReplyCompressor();
    const gzip = await encode(body, { "accept-encoding": "gzip" }, { compressor });
    const brotli = await encode(body, { "accept-encoding": "br" }, { compressor });
    expect(gunzipSync(gzip.bytes as Buffer).toString()).toBe(text);
    expect(brotliDecompressSync(brotli.bytes as Buffer).toString()).toBe(text);
  },
);

const gzipAccepted = { "accept-encoding": "gzip" };

test("encode() compresses a body that several users get only until it is shared", async () => {
  const compressor = new ReplyCompressor();
  const bytesFor = async (isShareable: boolean) =>
    (await encode(bodyOf(LONG), gzipAccepted, { compressor, isShareable })).bytes;
  await bytesFor(true);
  await bytesFor(true);
  const third = await bytesFor(true);
  expect(await bytesFor(true)).toBe(third);
  expect(await bytesFor(false)).not.toBe(third);
});

test("encode() does not let bodies that occur once replace a shared one", async () => {
  const compressor = new ReplyCompressor(20_000);
  const compress = async (text: string) =>
    (await encode(bodyOf(text), gzipAccepted, { compressor })).bytes;
  await compress(LONG);
  await compress(LONG);
  const shared = await compress(LONG);
  for (let user = 0; user < 5000; user++) {
    // oxlint-disable-next-line no-await-in-loop -- the order matters
    await compress(`${user}${LONG}`);
    // oxlint-disable-next-line no-await-in-loop -- as above
    if (user % 50 === 0) expect(await compress(LONG)).toBe(shared);
  }
});

test("encode() never replaces a body by another one with the same entity tag", async () => {
  const compressor = new ReplyCompressor();
  for (const text of [LONG, LONG.replaceAll("ø", "å"), LONG]) {
    const body = bodyOf(text, 'W/"tag"');
    // oxlint-disable-next-line no-await-in-loop -- the order matters
    const { bytes = "" } = await encode(body, gzipAccepted, { compressor });
    expect(gunzipSync(bytes).toString()).toBe(text);
  }
});
