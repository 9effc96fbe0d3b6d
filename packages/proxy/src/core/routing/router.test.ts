import { expect, test } from "vitest";
import { canonicalPath, Router } from "./router.ts";
import { FOR_CLIENTS, FOR_OPERATORS, type Route } from "./route.ts";

function routeAt(path: string, route: Partial<Route> = {}): Route {
  return {
    method: "GET",
    path,
    summary: path,
    tags: [],
    responses: {},
    audience: FOR_CLIENTS,
    handle: () => ({ status: 200, headers: {} }),
    ...route,
  };
}

const router = new Router("/base", [
  routeAt(""),
  routeAt("/flags"),
  routeAt("/flags", { method: "POST" }),
  routeAt("/stream", { hasHead: false }),
  routeAt("/flags/:name"),
  routeAt("/flags/*", { method: "POST" }),
  routeAt("/users/:id"),
  routeAt("/status", { audience: FOR_OPERATORS }),
]);

test.each([
  ["/proxy", "/proxy"],
  ["//api///frontend//", "/api/frontend"],
  ["/", "/"],
  ["//", "/"],
  ["", ""],
])("canonicalPath() of %j is %j", (url, path) => {
  expect(canonicalPath(url)).toBe(path);
});

test.each([
  ["/base", "/base", {}],
  ["/base?a=/b", "/base", {}],
  ["http://evil.test/base/flags?x", "/base/flags", {}],
  ["/base/flags/a%2Fb", "/base/flags/:name", { name: "a/b" }],
  ["/base/flags/:name", "/base/flags/:name", { name: ":name" }],
  ["/base/flags/a/b", "/base/flags/*", { "*": "a/b" }],
])("find() of %j is %j", (url, path, params) => {
  const match = router.find(url);
  expect([match.found?.path, match.params]).toEqual([path, params]);
  expect([match.isLenient, match.isMisspelled, match.error]).not.toContain(true);
});

test("find() recognises repeated slashes and encoded letters, which some routes reject", () => {
  expect(router.find("//base//status/")).toMatchObject({ isLenient: true });
  expect(router.find("/base/%73tatus")).toMatchObject({ isMisspelled: true });
  expect(router.find("/base/none").found).toBeUndefined();
  for (const path of ["/base/FLAGS", "/base/flags#", "/base/./flags"]) {
    expect([path, router.find(path).found]).toEqual([path, undefined]);
  }
});

test("find() returns an error for a path that cannot be decoded, or a parameter that is too long", () => {
  expect(router.find("/base/%zz").error?.statusCode).toBe(400);
  expect(router.find("/base/flags/%zz").error?.statusCode).toBe(400);
  expect(router.find(`/base/users/${"x".repeat(2000)}`).error?.statusCode).toBe(414);
  expect(router.find(`/base/flags/${"x".repeat(2000)}`).found?.path).toBe("/base/flags/*");
});

test("the methods of a path include HEAD, unless its GET has none", () => {
  const methodsOf = (url: string) => [...(router.find(url).found?.methods.keys() ?? [])];
  expect(methodsOf("/base/flags")).toEqual(["GET", "HEAD", "POST"]);
  expect(methodsOf("/base/stream")).toEqual(["GET"]);
});
