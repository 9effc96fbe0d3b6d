import fc from "fast-check";
import { beforeAll, expect, test } from "vitest";
import { fuzzRuns } from "../../../scripts/test-size.ts";
import { LIMITS } from "../src/limits.ts";
import { digestTables, useAdmin } from "./_admin.ts";
import type { ErrorResponse } from "./_responses.ts";
import { arbitraryRequest } from "./_arbitrary-request.ts";
import { readDescribedRoutes, type Route } from "./_routes.ts";
import { BACKEND_TOKEN, FRONTEND_TOKEN } from "./_service.ts";
import { describeStorages } from "./_storages.ts";

/** Routes and parameters: without what the parameter names, the upstream API responds with an empty list, too. */
const EMPTY_LISTS: readonly string[] = [
  "/api-tokens/:name name",
  "/archive/features/:projectId projectId",
  "/client-metrics/features/:feature feature",
  "/client-metrics/features/:feature/raw feature",
  "/context/:contextField/strategies contextField",
  "/events/:feature feature",
  "/metrics/instances/:appName/environment/:environment appName",
  "/metrics/instances/:appName/environment/:environment environment",
  "/projects/:projectId/change-requests/pending/:feature feature",
  "/projects/:projectId/dependencies projectId",
  "/projects/:projectId/features projectId",
  "/segments/:segmentId/strategies segmentId",
  "/segments/strategies/:strategyId strategyId",
  "/tags/:type type",
];

describeStorages("every route of the admin API", (source) => {
  const admin = useAdmin(source);
  let routes: readonly Route[] = [];

  beforeAll(async () => {
    routes = (await readDescribedRoutes(admin.app)).flatMap((route) => {
      const [, path] = /^\/api\/admin(\/.*)$/.exec(route.path) ?? [];
      // A stream does not end.
      return path === undefined || path === "/changes" ? [] : { ...route, path };
    });
  });

  const pathOf = ({ path }: Route): string => path.replaceAll(/:\w+/g, "1");

  test("the list of routes is complete", () => {
    expect(routes.length).toBeGreaterThan(180);
    expect(routes.map(({ path }) => path)).toContain("/addons/:addonId");
  });

  test("requires an admin token", async () => {
    const before = await digestTables(admin.storage);
    for (const route of routes) {
      const send = (token: string | null) =>
        admin.call<ErrorResponse | undefined>(route.method, pathOf(route), undefined, { token });
      for (const [token, status, name] of [
        [null, 401, "AuthenticationRequired"],
        ["", 401, "AuthenticationRequired"],
        ["Bearer", 401, "AuthenticationRequired"],
        ["*:*.of-nobody", 401, "UnauthorizedError"],
        ["x".repeat(5000), 401, "UnauthorizedError"],
        [BACKEND_TOKEN, 403, "PermissionError"],
        [FRONTEND_TOKEN, 403, "PermissionError"],
      ] as const) {
        const response = await send(token);
        expect([route.method, route.path, token, response.status, response.body?.name]).toEqual([
          route.method,
          route.path,
          token,
          status,
          name,
        ]);
      }
    }
    expect(await digestTables(admin.storage)).toEqual(before);
  });

  test("checks the token before the body", async () => {
    for (const route of routes.filter(({ body }) => body !== undefined)) {
      const { status } = await admin.call(route.method, pathOf(route), "{", { token: null });
      expect(status).toBe(401);
    }
  });

  test("accepts only JSON bodies up to its limit, and documents these errors", async () => {
    const before = await digestTables(admin.storage);
    for (const route of routes.filter(({ body }) => body !== undefined)) {
      const send = (body: string, type: string) =>
        admin.call<ErrorResponse | undefined>(route.method, pathOf(route), body, {
          headers: { "content-type": type },
        });
      for (const [body, type, status, name] of [
        ["{}", "text/plain", 415, "ContentTypeError"],
        ["a=1", "application/x-www-form-urlencoded", 415, "ContentTypeError"],
        ["{}", "", 415, "ContentTypeError"],
        ["{", "application/json", 400, "BadDataError"],
        ['{"a":1}}', "application/json", 400, "BadDataError"],
        [
          `"${"x".repeat(/import$|\/validate$/.test(route.path) ? LIMITS.importBytes : 1024 * 1024)}"`,
          "application/json",
          413,
          "PayloadTooLargeError",
        ],
      ] as const) {
        const response = await send(body, type);
        expect([route.path, type, response.status, response.body?.name]).toEqual([
          route.path,
          type,
          status,
          name,
        ]);
        expect(response.body?.details).toEqual([expect.objectContaining({})]);
        expect(route.statuses).toContain(String(status));
      }
    }
    expect(await digestTables(admin.storage)).toEqual(before);
  });

  test("rejects a missing body, except where a flag is turned off", async () => {
    for (const route of routes.filter(
      ({ body, path }) => body !== undefined && !path.endsWith("/off"),
    )) {
      const { status, body } = await admin.call<ErrorResponse | undefined>(
        route.method,
        pathOf(route),
      );
      expect([route.path, status, body?.name]).toEqual([route.path, 400, "BadDataError"]);
    }
  });

  test("sends security headers, and a 404 for unknown paths", async () => {
    const { headers } = await admin.must(200, "GET", "/context");
    expect(headers.get("x-content-type-options")).toBe("nosniff");
    expect(headers.get("x-frame-options")).toBe("DENY");
    expect(headers.get("x-powered-by")).toBeNull();
    const unknown = { status: 404, name: "NotFoundError" };
    await admin.refuse(unknown, "GET", "/nothing/here");
    await admin.refuse(unknown, "PATCH", "/context", {});
    await admin.refuse({ status: 400, name: "BadDataError" }, "GET", "/context/%zz");
  });

  test("a GET for a name that does not exist is a 404, except for lists of the wire protocol", async () => {
    await admin.must(201, "POST", "/projects/default/features", { name: "known" });
    const known: Readonly<Record<string, string>> = {
      projectId: "default",
      environment: "development",
      feature: "known",
      contextField: "userId",
    };
    const found: string[] = [];
    for (const { method, path } of routes) {
      const names = Array.from(path.matchAll(/:(\w+)/g), ([, name]) => name);
      for (const unknown of method === "GET" ? names : []) {
        const url = path.replaceAll(/:(\w+)/g, (_, name: string) =>
          name === unknown ? "99999" : (known[name] ?? "1"),
        );
        const { status } = await admin.call(method, url);
        if (status === 200) found.push(`${path} ${unknown}`);
        else expect([url, status]).toEqual([url, 404]);
      }
    }
    expect(found.toSorted()).toEqual(EMPTY_LISTS.toSorted());
  });

  test("any request gets a response without an internal error", async () => {
    await admin.must(201, "POST", "/projects/default/features", { name: "a" });
    await admin.must(201, "POST", "/projects", { id: "b", name: "b" });
    await admin.must(201, "POST", "/segments", { name: "a", constraints: [] });
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...routes).chain((route) => arbitraryRequest(route)),
        async ({ method, path, body }) => {
          const { status, text } = await admin.call(method, path, body);
          expect(status, `${method} ${path} ${JSON.stringify(body)} ${text}`).toBeLessThan(500);
        },
      ),
      { numRuns: fuzzRuns(100, 300) },
    );
  });

  test("no request caused an internal error", () => {
    expect(admin.errors).toEqual([]);
  });
});
