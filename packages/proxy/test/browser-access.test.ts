import type { AddressInfo } from "node:net";
import { describe, expect, test } from "vitest";
import { type RegisteredRoute, sendLines } from "../../server-kit/test/_raw-request.ts";
import type { ProxyConfig } from "../src/config/config.ts";
import { KEY, SERVER_TOKEN, startProxy } from "./_proxy.ts";
import { furtherPort, startServed } from "./_served.ts";
import { DocumentSource } from "./_source.ts";

const FOREIGN = "host: evil.example";
const OWN = "host: 127.0.0.1";
const ORIGIN = "origin: https://shop.example";

/** Routes without a key that accept any `Host`. A new one has to be added here. */
const OPEN = [
  "/live",
  "/ready",
  "/proxy/health",
  "/internal-backstage/health",
  "/internal-backstage/ready",
  // The tokens are in the body, or in the URL.
  "/edge/validate",
  "/proxy/stream",
  "/api/frontend/stream",
  "/api/proxy/stream",
  // Not enabled, so they say only that.
  "/docs/openapi",
  "/docs/openapi.json",
];

/** Routes that must work in the pages of any site. */
const FOR_PAGES = /^\/(?:proxy|api\/frontend|api\/proxy|ofrep)(?:\/|$)/;

/** Of these, those for server tokens and operators. */
const NOT_FOR_PAGES =
  /^\/proxy\/(?:explain|internal-backstage\/.*|client\/(?:features.*|delta|streaming))$/;

const hasCors = (path: string): boolean => FOR_PAGES.test(path) && !NOT_FOR_PAGES.test(path);

const toPath = (route: string): string => route.replaceAll(/:\w+|\*/g, "new-header");

async function startComplete(config: Partial<ProxyConfig> = {}) {
  const proxy = await startProxy({
    config: { ageHeader: true, explainEnabled: true, ...config },
  });
  const routes = proxy.routes.flatMap(({ method, path, hasHead = true }) =>
    [method, ...(method === "GET" && hasHead ? ["HEAD"] : [])].map((name) => ({
      method: name,
      path,
    })),
  );
  expect(routes.length).toBeGreaterThan(60);
  return { port: proxy.port, routes };
}

function sendTo(port: number, { method, path }: RegisteredRoute, ...headers: readonly string[]) {
  const length = method === "POST" ? ["content-type: application/json", "content-length: 0"] : [];
  return sendLines(port, `${method} ${toPath(path)} HTTP/1.1`, ...headers, ...length);
}

describe("the Host of a request", () => {
  test("matters for every route that requires no key, and for no other", async () => {
    const { port, routes } = await startComplete();
    const rejected: string[] = [];
    for (const route of routes) {
      const own = await sendTo(port, route, OWN);
      const { status } = await sendTo(port, route, FOREIGN);
      const isOpen = own.status === 401 || OPEN.includes(route.path);
      expect([route.method, route.path, status]).toEqual([
        route.method,
        route.path,
        isOpen ? own.status : 421,
      ]);
      if (status === 421) rejected.push(`${route.method} ${route.path}`);
    }
    const metrics = [
      "/proxy/internal-backstage/prometheus",
      "/internal-backstage/metrics",
      "/internal-backstage/prometheus",
    ];
    expect(rejected).toEqual(metrics.flatMap((path) => [`GET ${path}`, `HEAD ${path}`]));
  });

  test("matters for the OpenAPI document, and for everything on the management port", async () => {
    const served = await startServed(
      { management: { port: 0, host: "127.0.0.1" } },
      { openApiEnabled: true },
    );
    const { port } = served.server.address() as AddressInfo;
    for (const path of ["/docs/openapi.json", "/docs/openapi"]) {
      expect((await sendLines(port, `GET ${path} HTTP/1.1`, OWN)).status).toBe(200);
      expect((await sendLines(port, `GET ${path} HTTP/1.1`, FOREIGN)).status).toBe(421);
    }
    const management = furtherPort(served);
    for (const path of ["/status", "/internal-backstage/metrics"]) {
      expect((await sendLines(management, `GET ${path} HTTP/1.1`, OWN)).status).toBe(200);
      expect((await sendLines(management, `GET ${path} HTTP/1.1`, FOREIGN)).status).toBe(421);
    }
    expect((await sendLines(management, "GET /ready HTTP/1.1", FOREIGN)).status).toBe(200);
  });

  test("may be an IP address or a name in ALLOWED_HOSTS, but not one that the request forwards", async () => {
    const { port } = await startComplete({
      host: undefined,
      trustProxy: true,
      allowedHosts: ["flags-proxy"],
    });
    const statusWith = async (...headers: string[]) =>
      (await sendLines(port, "GET /internal-backstage/metrics HTTP/1.1", ...headers)).status;
    expect(await statusWith("host: flags-proxy:3000")).toBe(200);
    expect(await statusWith("host: 10.1.2.3:3000")).toBe(200);
    expect(await statusWith(FOREIGN, "x-forwarded-host: flags-proxy")).toBe(421);
    expect(await statusWith(FOREIGN, "forwarded: for=1.2.3.4;host=flags-proxy")).toBe(421);
    expect(await statusWith("host: flags-proxy", FOREIGN)).toBe(400);
    const { status, text } = await sendLines(port, "GET /internal-backstage/metrics HTTP/1.0");
    expect([status, text]).toEqual([421, expect.stringContaining("ALLOWED_HOSTS")]);
    const absolute = "GET http://evil.example/internal-backstage/metrics HTTP/1.1";
    expect((await sendLines(port, absolute, "host: flags-proxy")).status).toBe(421);
  });
});

describe("CORS headers", () => {
  const CORS = /^(?:access-control-|vary:.*origin)/im;
  const SECRETS = [[], [`authorization: ${KEY}`], [`authorization: ${SERVER_TOKEN}`]];

  test("are sent by the routes for client keys and by health, and by no others, also with errors", async () => {
    for (const origin of ["*", ["https://shop.example"]] as const) {
      const { port, routes } = await startComplete({
        cors: {
          allowedHeaders: undefined,
          credentials: true,
          exposedHeaders: ["ETag"],
          maxAgeSeconds: 1,
          methods: ["GET", "POST"],
          optionsSuccessStatus: 204,
          origin,
          preflightContinue: false,
        },
      });
      for (const route of routes) {
        const { method, path } = route;
        const isStream = method === "GET" && path.endsWith("/streaming");
        const preflight = `access-control-request-method: ${method}`;
        const replies = await Promise.all([
          ...SECRETS.slice(0, isStream ? 2 : 3).map((secret) =>
            sendTo(port, route, OWN, ORIGIN, ...secret),
          ),
          sendTo(port, { method: "OPTIONS", path }, OWN, ORIGIN, preflight),
          sendTo(port, { method: "DELETE", path }, OWN, ORIGIN),
          sendTo(port, { method: "DELETE", path: `/${path}/` }, OWN, ORIGIN),
        ]);
        const expected = hasCors(path) || path.startsWith("/docs/");
        expect([method, path, replies.map(({ text }) => CORS.test(text))]).toEqual([
          method,
          path,
          replies.map(() => expected),
        ]);
      }
    }
  });

  test("are not sent by other routes before the proxy has flags, either", async () => {
    const { port } = await startProxy({ source: new DocumentSource() });
    for (const path of ["/api/client/features", "/proxy/client/features", "/status", "/proxy"]) {
      for (const method of ["GET", "OPTIONS"]) {
        const { text } = await sendTo(port, { method, path }, OWN, ORIGIN);
        expect([method, path, CORS.test(text)]).toEqual([method, path, path === "/proxy"]);
      }
    }
  });

  test("are sent for unknown paths, so that developers can read the error", async () => {
    const { port } = await startProxy();
    const { status, text } = await sendTo(port, { method: "GET", path: "/prox" }, OWN, ORIGIN);
    expect([status, CORS.test(text)]).toEqual([404, true]);
  });
});

describe("the path of a request", () => {
  const withSlashes = (path: string) => [`/${path}`, `${path}/`, path.replaceAll("/", "//")];

  /** Ways to write the fixed parts of a route that a gateway may not recognise. */
  const disguise = (route: string): readonly string[] => {
    const parts = route.split("/");
    const encoded = parts.flatMap((part, index) => {
      const changed = part.replace(/^\w/, (letter) => `%${letter.charCodeAt(0).toString(16)}`);
      return changed === part ? [] : [parts.with(index, changed).join("/")];
    });
    const others = [route.replaceAll("-", "%2D"), `/x/..${route}`, `/.${route}`];
    if (!/[:*]/.test(route)) others.push(`${route}#`);
    return [...encoded, ...others].filter((each) => each !== route);
  };

  /** SDKs join addresses and paths without looking at slashes. */
  const isForSdks = (path: string): boolean =>
    hasCors(path) || /^\/(?:api\/client|proxy\/client|proxy\/explain|edge)(?:\/|$)/.test(path);

  test("must be written as documented, except for additional slashes from SDKs", async () => {
    const { port, routes } = await startComplete();
    for (const { method, path } of routes) {
      if (path.startsWith("/docs/") || path === "/proxy/health") continue;
      const statusesOf = (paths: readonly string[]) =>
        Promise.all(
          paths.map(async (each) => (await sendTo(port, { method, path: each }, OWN)).status),
        );
      const [plain] = await statusesOf([path]);
      const allowed = isForSdks(path) ? [plain] : [404];
      const statuses = await statusesOf(withSlashes(path));
      expect([method, path, [...new Set(statuses)]]).toEqual([method, path, allowed]);
      expect([method, path, [...new Set(await statusesOf(disguise(path)))]]).toEqual([
        method,
        path,
        [404],
      ]);
    }
  });

  test("of a client may have additional slashes", async () => {
    const { port } = await startProxy();
    for (const path of ["//proxy", "/proxy/", "//proxy//?userId=1"]) {
      const { status } = await sendLines(
        port,
        `GET ${path} HTTP/1.1`,
        OWN,
        `authorization: ${KEY}`,
      );
      expect([path, status]).toEqual([path, 200]);
    }
  });

  test("may contain encoded characters where the route has a parameter", async () => {
    const { port } = await startProxy();
    const path = "GET /api/frontend/features/new%2Dhead%65r HTTP/1.1";
    const { status, text } = await sendLines(port, path, OWN, `authorization: ${KEY}`);
    expect([status, text]).toEqual([404, expect.stringContaining("new-header")]);
  });
});
