import type { IncomingMessage } from "node:http";
import { expect, test } from "vitest";
import { isPlainGet, isPlainPost } from "./plain-request.ts";

interface Parts {
  readonly method?: string;
  readonly url?: string;
  readonly headers?: IncomingMessage["headers"];
}

const get = ({ method = "GET", url = "/proxy", headers = {} }: Parts): boolean =>
  isPlainGet({ method, url, headers } as IncomingMessage, "/proxy");

test.each<[boolean, Parts]>([
  [true, {}],
  [true, { url: "/proxy?userId=1" }],
  [false, { url: "/proxy/" }],
  [false, { url: "/proxy/all" }],
  [false, { url: "/prox" }],
  [false, { method: "HEAD" }],
  [false, { headers: { "content-length": "0" } }],
  [false, { headers: { "transfer-encoding": "chunked" } }],
])("isPlainGet() is %s for %j", (isPlain, parts) => {
  expect(get(parts)).toBe(isPlain);
});

const PLAIN = { "content-type": "application/json", "content-length": "2" };
const post = ({ method = "POST", url = "/proxy", headers = {} }: Parts): boolean =>
  isPlainPost({ method, url, headers: { ...PLAIN, ...headers } } as IncomingMessage, "/proxy");

test.each<[boolean, Parts]>([
  [true, {}],
  [true, { headers: { "content-type": "application/json;charset=UTF-8" } }],
  [false, { headers: { "content-type": "application/json; charset=latin1" } }],
  [false, { headers: { "content-type": "application/json-patch+json" } }],
  [false, { headers: { "content-type": undefined } }],
  [false, { headers: { "content-encoding": "gzip" } }],
  [false, { headers: { "content-length": undefined, "transfer-encoding": "chunked" } }],
  [false, { headers: { "content-length": "100000" } }],
  [false, { url: "/proxy?userId=1" }],
  [false, { url: "/proxy/all" }],
  [false, { method: "PUT" }],
])("isPlainPost() is %s for %j", (isPlain, parts) => {
  expect(post(parts)).toBe(isPlain);
});
