import { gunzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { type PreparedResponse, ResponsePreparer } from "./prepare-response.ts";
import { ResponseBody, toBinaryString, toEntityTag } from "./response-body.ts";

const FIXED_HEADERS = { cacheControl: "no-cache", vary: "authorization" };
const LONG = "ø".repeat(1024);

function bodyOf(text: string, entityTag = toEntityTag(text)): ResponseBody {
  return new ResponseBody(toBinaryString(text), entityTag);
}

function headersOf({ headers }: PreparedResponse): Record<string, string> {
  const pairs: [string, string][] = [];
  for (let index = 0; index < headers.length; index += 2) {
    pairs.push([headers[index] ?? "", headers[index + 1] ?? ""]);
  }
  return Object.fromEntries(pairs);
}

function prepare(
  body: ResponseBody,
  headers: Record<string, string>,
  { preparer = new ResponsePreparer(), isShareable = true } = {},
) {
  return preparer.prepare(headers, { body, isShareable, headers: FIXED_HEADERS });
}

test("prepare() returns the bytes and their length", async () => {
  const body = bodyOf(LONG);
  const response = await prepare(body, {});
  expect(response.status).toBe(200);
  expect(headersOf(response)).toEqual({
    "cache-control": "no-cache",
    vary: "authorization",
    etag: body.entityTag,
    "content-type": "application/json; charset=utf-8",
    "content-length": "2048",
  });
  expect(Buffer.from(response.bytes?.toString("latin1") ?? "", "latin1").toString()).toBe(LONG);
});

test("prepare() returns a 304 without a body if the client has the response", async () => {
  const body = bodyOf(LONG);
  const response = await prepare(body, { "if-none-match": body.entityTag });
  expect(response.status).toBe(304);
  expect(response.bytes).toBeUndefined();
  expect(headersOf(response)).toEqual({
    "cache-control": "no-cache",
    vary: "authorization",
    etag: body.entityTag,
  });
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
])("prepare() chooses the content coding for %s", async (_, text, headers, coding) => {
  const response = await prepare(bodyOf(text), headers);
  expect(headersOf(response)["content-encoding"]).toBe(coding);
  expect(headersOf(response)["content-length"]).toBe(String(response.bytes?.length));
});

const gzipAccepted = { "accept-encoding": "gzip" };

test("prepare() compresses a body that several users get only until it is shared", async () => {
  const preparer = new ResponsePreparer();
  const bytesFor = async (isShareable: boolean) =>
    (await prepare(bodyOf(LONG), gzipAccepted, { preparer, isShareable })).bytes;
  await bytesFor(true);
  await bytesFor(true);
  const third = await bytesFor(true);
  expect(await bytesFor(true)).toBe(third);
  expect(await bytesFor(false)).not.toBe(third);
});

test("prepare() does not let bodies that occur once replace a shared one", async () => {
  const preparer = new ResponsePreparer(20_000);
  const compress = async (text: string) =>
    (await prepare(bodyOf(text), gzipAccepted, { preparer })).bytes;
  await compress(LONG);
  await compress(LONG);
  const shared = await compress(LONG);
  await Promise.all(Array.from({ length: 5000 }, (_, user) => compress(`${user}${LONG}`)));
  expect(await compress(LONG)).toBe(shared);
});

test("prepare() never replaces a body by another one with the same entity tag", async () => {
  const preparer = new ResponsePreparer();
  for (const text of [LONG, LONG.replaceAll("ø", "å"), LONG]) {
    const body = bodyOf(text, 'W/"tag"');
    // oxlint-disable-next-line no-await-in-loop -- the order matters
    const { bytes = "" } = await prepare(body, { "accept-encoding": "gzip" }, { preparer });
    expect(gunzipSync(bytes).toString()).toBe(text);
  }
});
