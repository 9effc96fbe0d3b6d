import { count } from "drizzle-orm";
import fc from "fast-check";
import type { InjectOptions } from "fastify";
import { beforeAll, expect, test } from "vitest";
import { fuzzRuns } from "../../../scripts/test-size.ts";
import { events } from "../src/storage/schema/events.ts";
import { arbitraryRequest } from "./_arbitrary-request.ts";
import { type DescribedRoute, readDescribedRoutes } from "./_routes.ts";
import { ADMIN_TOKEN, BACKEND_TOKEN, FRONTEND_TOKEN, useService } from "./_service.ts";
import { describeStorages } from "./_storages.ts";

const TOKENS: Readonly<Record<string, string>> = {
  adminToken: ADMIN_TOKEN,
  backendToken: BACKEND_TOKEN,
};

/** Text that is not JSON, or unusual JSON. */
const arbitraryRawBody = fc.oneof(
  fc.constantFrom(
    "",
    "{",
    "null",
    "[]",
    '""',
    "0",
    "{} {}",
    '{"__proto__":{}}',
    '{"constructor":{"prototype":{}}}',
    '{"a":1e999}',
    '{"name":"\\ud800"}',
    "\u{feff}{}",
    "[".repeat(50_000),
    `{"a":${"[".repeat(500)}${"]".repeat(500)}}`,
  ),
  fc.string({ maxLength: 50 }),
  fc.json(),
);

const arbitraryHeaders = fc.record(
  {
    "content-type": fc.constantFrom(
      "application/json",
      "application/json; charset=utf-16",
      "application/merge-patch+json",
      "text/plain",
      "multipart/form-data",
      "a",
    ),
    "content-encoding": fc.constantFrom("gzip", "br", "identity", "nothing"),
    authorization: fc.constantFrom(
      "",
      "Bearer",
      `Bearer ${ADMIN_TOKEN}`,
      BACKEND_TOKEN,
      FRONTEND_TOKEN,
      "*:*.nobody",
      "\u{ff}",
    ),
    "if-none-match": fc.constantFrom("*", '"1"', 'W/"1", "2', "\u{ff}", "9".repeat(50)),
    "unleash-client-spec": fc.constantFrom("5.2.0", "4.0.0", "x", ""),
    "last-event-id": fc.constantFrom("1", "-1", "9".repeat(50)),
    accept: fc.constantFrom("text/html", "*/*", "application/json;q=0"),
    host: fc.constantFrom("localhost", "", "a b"),
  },
  { requiredKeys: [] },
);

interface RouteRequest {
  readonly route: DescribedRoute;
  readonly request: InjectOptions & { readonly path: string };
}

/** About half of the requests fit the route. The others are invalid in various ways. */
function arbitraryRouteRequest(route: DescribedRoute): fc.Arbitrary<RouteRequest> {
  const invalidBody = fc
    .tuple(arbitraryRawBody, fc.boolean())
    .map(([text, hasBody]) => (hasBody ? text : undefined));
  return fc
    .record({
      fitting: arbitraryRequest(route),
      raw: fc.option(invalidBody, { freq: 3 }),
      headers: fc.option(arbitraryHeaders, { freq: 1 }),
    })
    .map(({ fitting: { method, path, body }, raw, headers }) => {
      const text = raw ?? toText(body);
      return {
        route,
        request: {
          method: method as "GET",
          path,
          headers: {
            ...(route.token !== undefined && { authorization: TOKENS[route.token] ?? "" }),
            ...(text !== undefined && { "content-type": "application/json" }),
            ...headers,
          },
          ...(text !== undefined && { payload: text }),
        },
      };
    });
}

function toText(body: unknown): string | undefined {
  return typeof body === "string" || body === undefined ? body : JSON.stringify(body);
}

describeStorages("every route of the service, from its description", (source) => {
  const service = useService(source);
  let routes: readonly DescribedRoute[] = [];

  beforeAll(async () => {
    const described = await readDescribedRoutes(service.app);
    // A stream does not end, so its response cannot be awaited.
    routes = described.filter(
      ({ path }) => !["/api/admin/changes", "/api/client/streaming"].includes(path),
    );
    await service.admin("POST", "/projects/default/features", { name: "a" });
    await service.admin("POST", "/projects", { id: "b", name: "b" });
    await service.admin("POST", "/segments", { name: "a", constraints: [] });
  });

  const state = async () => {
    const [row] = await service.storage.db.select({ total: count() }).from(events);
    return { revision: await service.storage.revision(), events: row?.total };
  };

  test("responds without an internal error, and rejects requests in one format without changing anything", async () => {
    expect(routes.length).toBeGreaterThan(90);
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...routes).chain((route) => arbitraryRouteRequest(route)),
        async ({ route, request }) => {
          const before = await state();
          const response = await service.app.inject(request);
          const { statusCode, headers, body } = response;
          const about = `${statusCode} ${route.method} ${request.path} ${body.slice(0, 500)}`;
          expect(statusCode, about).toBeLessThan(500);
          if (statusCode < 400) return;
          expect(headers["content-type"], about).toBe("application/json; charset=utf-8");
          expect(headers["cache-control"], about).toBe("no-store");
          expect(response.json(), about).toMatchObject({
            id: expect.any(String) as string,
            name: expect.stringMatching(/^[A-Z]\w+$/) as string,
            message: expect.stringMatching(/\w/) as string,
            details: expect.arrayContaining([
              expect.objectContaining({ message: expect.any(String) as string }),
            ]) as unknown[],
          });
          expect(body, about).not.toMatch(/violates|syntax error at|relation "|\n\s+at /);
          if (reachesRoute(request)) expect(route.statuses, about).toContain(String(statusCode));
          expect(await state(), about).toEqual(before);
        },
      ),
      { numRuns: fuzzRuns(60, 200) },
    );
  });

  test("logs no internal error", () => {
    expect(service.errors).toEqual([]);
  });
});

/** Whether a path matches its route. Segments that are dots or very long do not. */
function reachesRoute({ path }: RouteRequest["request"]): boolean {
  const [plain = ""] = path.split("?");
  return plain.split("/").every((part) => part !== "." && part !== ".." && part.length < 1000);
}
