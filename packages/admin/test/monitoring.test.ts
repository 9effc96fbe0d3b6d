import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from "vitest";
import { buildApp } from "../src/app.ts";
import { openStream } from "./_event-stream.ts";
import { createToken } from "./_flags.ts";
import { skipsPostgres, startPostgres, type PostgresServer } from "./_postgres.ts";
import { ADMIN_TOKEN, BACKEND_TOKEN, collectErrors, startService, useService } from "./_service.ts";
import { describeStorages, openDatabase, silentLogger } from "./_storages.ts";

const METRICS = "/internal-backstage/prometheus";

/** Returns the value of a metric; undefined if it is missing. */
function valueOf(metrics: string, name: string): number | undefined {
  const line = metrics.split("\n").find((each) => each.startsWith(`${name} `));
  return line === undefined ? undefined : Number(line.slice(name.length));
}

describeStorages("monitoring", (source) => {
  const service = useService(source);
  const metrics = async (): Promise<string> => (await service.request(METRICS)).text();

  test.each(["/health", "/ready"])("GET %s responds with GOOD without a token", async (path) => {
    const response = await service.request(path);
    expect(response.status).toBe(200);
    expect(response.headers.get("cache-control")).toBe("no-store");
    expect(await response.json()).toEqual({ health: "GOOD" });
  });

  test("the metrics are in the text format of Prometheus", async () => {
    const response = await service.request(METRICS);
    expect(response.status).toBe(200);
    expect(response.headers.get("content-type")).toMatch(/^text\/plain; version=/);
    expect(response.headers.get("cache-control")).toBe("no-store");
    const text = await response.text();
    expect(text).toContain("# TYPE flags_admin_http_requests_total counter");
    expect(valueOf(text, "flags_admin_up")).toBe(1);
    expect(valueOf(text, "flags_admin_database_up")).toBe(1);
    expect(valueOf(text, "flags_admin_database_errors_total")).toBe(0);
    expect(text).toContain("process_resident_memory_bytes");
  });

  test("the metrics contain the revision and the requests", async () => {
    await service.admin("POST", "/context", { name: "region" });
    await service.request("/api/admin/context/region");
    await service.request(`/${"x".repeat(20)}`);
    const text = await metrics();
    expect(valueOf(text, "flags_admin_revision")).toBe(await service.storage.revision());
    const requests = "flags_admin_http_requests_total";
    const created = `${requests}{method="POST",route="/api/admin/context",status="201"}`;
    const refused = `${requests}{method="GET",route="/api/admin/context/:contextField",status="401"}`;
    expect(valueOf(text, created)).toBe(1);
    expect(valueOf(text, refused)).toBe(1);
    expect(text).not.toContain("xxxx");
  });

  test("concurrent requests for metrics share one reading", async () => {
    const ping = vi.spyOn(service.storage, "ping");
    onTestFinished(() => ping.mockRestore());
    const app = await buildApp(
      { logger: collectErrors([]), maxConnections: 1000 },
      service.storage,
    );
    onTestFinished(() => app.close());
    const responses = await Promise.all([1, 2, 3].map(() => app.inject(METRICS)));
    expect(new Set(responses.map(({ body }) => body)).size).toBe(1);
    expect(ping).toHaveBeenCalledTimes(1);
  });

  test("the metrics contain the number of open streams", async () => {
    expect(valueOf(await metrics(), "flags_admin_streams")).toBe(0);
    const stream = await service.request("/api/client/streaming", { token: BACKEND_TOKEN });
    const reader = stream.body?.getReader();
    await reader?.read();
    expect(valueOf(await metrics(), "flags_admin_streams")).toBe(1);
    await reader?.cancel();
    await expect.poll(async () => valueOf(await metrics(), "flags_admin_streams")).toBe(0);
  });

  test("the metrics count closed streams by reason", async () => {
    const { id, secret } = await createToken(service);
    const stream = await openStream(service, { token: secret });
    await service.admin("DELETE", `/api-tokens/${id}`);
    await stream.ended;
    const text = await metrics();
    expect(valueOf(text, 'flags_admin_streams_closed_total{reason="revoked"}')).toBe(1);
    expect(valueOf(text, 'flags_admin_change_streams_closed_total{reason="revoked"}')).toBe(0);
  });

  test("the metrics of two apps are separate", async () => {
    const other = await startService(service.storage);
    await other.request("/health");
    expect(await metrics()).toContain('route="/health"');
    expect(await (await other.request(METRICS)).text()).not.toContain("/api/admin/context");
  });

  test("responses have security headers, and private ones must not be cached", async () => {
    const paths = ["/health", "/nothing", "/api/admin/context", "/api/admin/nothing", METRICS];
    for (const path of paths) {
      const { headers } = await service.request(path, { token: ADMIN_TOKEN });
      expect(headers.get("x-content-type-options"), path).toBe("nosniff");
      expect(headers.get("content-security-policy"), path).toContain("frame-ancestors 'none'");
      expect(headers.get("referrer-policy"), path).toBe("no-referrer");
      expect(headers.get("cache-control"), path).toBe("no-store");
      expect(headers.get("strict-transport-security"), path).toBeNull();
    }
  });
});

describe.skipIf(skipsPostgres)("without its database", () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await startPostgres();
  });
  afterAll(() => server.close());

  test("readiness and metrics report that the database is unavailable, and available again", async () => {
    const databaseUrl = await server.createDatabase();
    const storage = await openDatabase(databaseUrl);
    const app = await buildApp({ logger: collectErrors([]), maxConnections: 1000 }, storage);
    onTestFinished(() => app.close());
    const get = (path: string) => app.inject({ path, headers: { authorization: ADMIN_TOKEN } });

    expect((await get("/ready")).statusCode).toBe(200);
    await server.kill();
    const unavailable = await get("/ready");
    expect(unavailable.statusCode).toBe(503);
    expect(unavailable.headers["retry-after"]).toBe("1");
    expect(unavailable.json()).toMatchObject({ name: "ServiceUnavailableError" });
    expect(unavailable.body).not.toMatch(/postgres|ECONN|127\.0\.0\.1/i);
    expect((await get("/health")).statusCode).toBe(200);
    expect((await get("/api/admin/context")).statusCode).toBe(503);

    const { statusCode, body } = await get(METRICS);
    expect(statusCode).toBe(200);
    expect(valueOf(body, "flags_admin_database_up")).toBe(0);
    expect(valueOf(body, "flags_admin_revision")).toBeUndefined();
    expect(valueOf(body, "flags_admin_database_errors_total")).toBe(2);

    await server.restart();
    await expect.poll(async () => (await get("/ready")).statusCode).toBe(200);
    const back = (await get(METRICS)).body;
    expect(valueOf(back, "flags_admin_database_up")).toBe(1);
    expect(valueOf(back, "flags_admin_revision")).toBe(0);
  });

  test("the API responds with 503 and Retry-After, and works again afterwards", async () => {
    const databaseUrl = await server.createDatabase();
    const lines: string[] = [];
    const logger = { ...silentLogger, warn: (line: string) => lines.push(line) };
    const service = await startService(await openDatabase(databaseUrl, logger));
    const calls = [
      ["GET", "/api/admin/context", undefined],
      ["PUT", "/api/admin/context/userId", { sortOrder: 5 }],
      ["POST", "/api/admin/projects/default/revive", { features: [] }],
    ] as const;
    const statuses = async (): Promise<number[]> => {
      const responses = calls.map(([method, path, body]) =>
        service.request(path, { method, token: ADMIN_TOKEN, body }),
      );
      return (await Promise.all(responses)).map(({ status }) => status);
    };

    expect(await statuses()).toEqual([200, 200, 200]);
    await server.kill();
    expect(await statuses()).toEqual([503, 503, 503]);
    const response = await service.request("/api/admin/context", { token: ADMIN_TOKEN });
    expect(response.headers.get("retry-after")).toBe("1");
    const text = await response.text();
    expect(JSON.parse(text)).toMatchObject({ name: "ServiceUnavailableError" });
    expect(text).not.toMatch(/ECONN|127\.0\.0\.1|postgres|select/i);

    await server.restart();
    expect(await statuses()).toEqual([200, 200, 200]);
    await expect
      .poll(() => lines)
      .toEqual([
        expect.stringMatching(/^A connection to the database was lost and will be replaced: /),
        expect.stringMatching(/^The database is available again after \d+ s$/),
      ]);
  });
});
