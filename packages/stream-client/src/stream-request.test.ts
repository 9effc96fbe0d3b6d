import { expect, test } from "vitest";
import { isToggleUrl, streamBodyOf, streamEndpointOf } from "./stream-request.ts";

const get = (url: string) => ({ url, headers: undefined, body: undefined });

test.each([
  ["http://h/proxy", true],
  ["http://h/proxy?userId=1&x=/client/metrics", true],
  ["http://h/proxy/client/metrics", false],
  ["http://h/proxy/client/register/", false],
])("isToggleUrl() of %s is %s", (url, expected) => {
  expect(isToggleUrl(url)).toBe(expected);
});

test.each([
  ["http://h/proxy?userId=1", "http://h/proxy/stream"],
  ["https://h:1/base/proxy/", "https://h:1/base/proxy/stream"],
  ["http://h/proxy/all?userId=1", "http://h/proxy/stream"],
])("streamEndpointOf() of %s is %s", (url, expected) => {
  expect(streamEndpointOf(get(url))).toBe(expected);
});

test("streamBodyOf() converts the query of a GET request to a context", () => {
  const url = "http://h/proxy?appName=a&properties%5Bmy+key%5D=a%26b&properties%5Bplan%5D=gold";
  expect(JSON.parse(streamBodyOf(get(url)))).toEqual({
    context: { appName: "a", properties: { "my key": "a&b", plan: "gold" } },
  });
});

test("streamBodyOf() does not change the body of a POST request", () => {
  const body = '{"context":{"userId":"1"}}';
  expect(streamBodyOf({ ...get("http://h/proxy"), body })).toBe(body);
});

test("streamBodyOf() adds `all` for the endpoints that include toggles that are off", () => {
  const [request, body] = [{ context: { userId: "1" } }, '{"context":{"userId":"1"}}'];
  const all = get("http://h/proxy/all/");
  expect(JSON.parse(streamBodyOf({ ...all, body }))).toEqual({ ...request, all: true });
  expect(JSON.parse(streamBodyOf(all))).toEqual({ context: { properties: {} }, all: true });
});
