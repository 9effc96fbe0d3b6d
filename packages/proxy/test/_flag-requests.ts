import { request, type IncomingHttpHeaders } from "node:http";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import fc from "fast-check";
import { expect } from "vitest";
import { KEY, type RunningApp } from "./_proxy.ts";

const inPlan = { contextName: "plan", operator: "IN", values: ["pro"] };
export const flag = (name: string, ...strategies: object[]): object => ({
  name,
  enabled: true,
  impressionData: name.length % 2 === 0,
  strategies,
});
export const half = (groupId: string): object => ({
  name: "flexibleRollout",
  parameters: { rollout: "50", stickiness: "default", groupId },
});

/** Flags whose outcomes depend only on the context, with enough text to be compressed. */
export const DOCUMENT = {
  features: [
    flag("plain", { name: "default" }),
    { ...flag("off", { name: "default" }), enabled: false },
    flag("plan", { name: "default", constraints: [inPlan] }),
    flag("address", { name: "remoteAddress", parameters: { IPs: "10.0.0.0/8" } }),
    flag("ærlig-ø", { name: "default" }),
    ...Array.from({ length: 20 }, (_, index) => flag(`half-${index}`, half(`half-${index}`))),
    {
      ...flag("colour", { name: "default" }),
      variants: [
        { name: "red", weight: 500, payload: { type: "string", value: "#ff0000 ø" } },
        { name: "blue", weight: 500 },
      ],
    },
  ],
};

export interface RawResponse {
  readonly status: number | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** Sends exactly these headers, by POST if there is a body, and decompresses the response. */
export async function sendRaw(
  { port }: Pick<RunningApp, "port">,
  path: string,
  headers: object,
  body?: string | Buffer,
): Promise<RawResponse> {
  const method = body === undefined ? "GET" : "POST";
  const length = body === undefined ? {} : { "content-length": Buffer.byteLength(body) };
  const sent = { authorization: KEY, ...length, ...headers };
  return new Promise((resolve, reject) => {
    request({ host: "127.0.0.1", port, path, method, headers: sent }, (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.on("error", reject);
      response.on("end", () => {
        resolve({
          status: response.statusCode,
          headers: comparable(response.headers),
          body: decode(Buffer.concat(chunks), response.headers["content-encoding"]),
        });
      });
    })
      .on("error", reject)
      .end(body);
  });
}

function decode(body: Buffer, coding: string | undefined): string {
  if (coding === "br") return brotliDecompressSync(body).toString();
  return (coding === "gzip" ? gunzipSync(body) : body).toString();
}

/** Omits headers that differ each time, or that depend on how a compressed body is transferred. */
function comparable({ date: _date, ...headers }: IncomingHttpHeaders): IncomingHttpHeaders {
  if (headers["content-encoding"] === undefined) return headers;
  const { "content-length": _length, "transfer-encoding": _transfer, ...rest } = headers;
  return rest;
}

/** A request without its path. */
interface ComparedRequest {
  readonly query?: string;
  readonly headers?: object;
  /** Makes it a POST. */
  readonly body?: string | Buffer;
}

/** Sends a request twice, since the second response may be a cached one, and once with a trailing slash. */
export async function expectSameEachTime(
  proxy: Pick<RunningApp, "port">,
  path: string,
  { query = "", headers = {}, body }: ComparedRequest,
): Promise<RawResponse> {
  const first = await sendRaw(proxy, path + query, headers, body);
  expect(await sendRaw(proxy, path + query, headers, body)).toEqual(first);
  expect(await sendRaw(proxy, `${path}/${query}`, headers, body)).toEqual(first);
  return first;
}

/** Headers that a response may depend on. */
export const requestHeaders = fc.record(
  {
    origin: fc.constantFrom("https://a.example", "https://b.example", "null"),
    "accept-encoding": fc.constantFrom("gzip", "br", "gzip, br;q=0.1", "identity", "*", "x, gzip"),
    "cache-control": fc.constant("no-cache"),
    "content-type": fc.constant("application/json"),
    "x-no-compression": fc.constant("1"),
  },
  { requiredKeys: [] },
);
