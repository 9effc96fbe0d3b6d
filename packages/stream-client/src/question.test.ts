import { expect, test } from "vitest";
import { asksForToggles, streamBodyOf, streamUrlOf } from "./question.ts";

const get = (url: string) => ({ url, headers: undefined, body: undefined });

test.each([
  ["http://h/proxy", true],
  ["http://h/proxy?userId=1&x=/client/metrics", true],
  ["http://h/proxy/client/metrics", false],
  ["http://h/proxy/client/register/", false],
])("asksForToggles() of %s is %s", (url, expected) => {
  expect(asksForToggles(url)).toBe(expected);
});

test.each([
  ["http://h/proxy?userId=1", "http://h/proxy/stream"],
  ["https://h:1/base/proxy/", "https://h:1/base/proxy/stream"],
  ["http://h/proxy/all?userId=1", "http://h/proxy/stream"],
])("streamUrlOf() of %s is %s", (url, expected) => {
  expect(streamUrlOf(get(url))).toBe(expected);
});

test("streamBodyOf() reads the context that a client has put into its query", () => {
  const url = "http://h/proxy?appName=a&properties%5Bmy+key%5D=a%26b&properties%5Bplan%5D=gold";
  expect(JSON.parse(streamBodyOf(get(url)))).toEqual({
    context: { appName: "a", properties: { "my key": "a&b", plan: "gold" } },
  });
});

test("streamBodyOf() leaves a body as it is", () => {
  const body = '{"context":{"userId":"1"}}';
  expect(streamBodyOf({ ...get("http://h/proxy"), body })).toBe(body);
});

test("streamBodyOf() asks for toggles that are off, too, where a client does", () => {
  const [asked, body] = [{ context: { userId: "1" } }, '{"context":{"userId":"1"}}'];
  const all = get("http://h/proxy/all/");
  expect(JSON.parse(streamBodyOf({ ...all, body }))).toEqual({ ...asked, all: true });
  expect(JSON.parse(streamBodyOf(all))).toEqual({ context: { properties: {} }, all: true });
});
