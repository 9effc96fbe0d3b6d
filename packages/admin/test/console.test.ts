import { once } from "node:events";
import { type IncomingMessage, request } from "node:http";
import { json } from "node:stream/consumers";
import { expect, onTestFinished, test } from "vitest";
import { BROWSER, SCRIPT, writeConsole } from "./_console.ts";
import { startService, useService } from "./_service.ts";
import { describeAnyStorage } from "./_storages.ts";

describeAnyStorage("the console", (source) => {
  const start = async () => {
    const service = await startService(
      await source.openFresh(),
      {},
      { consoleDirectory: writeConsole() },
    );
    return (path: string, headers: Record<string, string> = { accept: BROWSER }, method = "GET") =>
      service.request(path, { headers, method });
  };

  test("the console is sent for every path that a browser opens, except those of the APIs", async () => {
    const open = await start();
    for (const path of ["/", "/projects/default", "/sign-in?problem=denied", "//", "/apis"]) {
      const response = await open(path);
      expect([path, response.status]).toEqual([path, 200]);
      expect(response.headers.get("content-type")).toBe("text/html; charset=utf-8");
      expect(response.headers.get("cache-control")).toBe("no-cache");
      expect(response.headers.get("vary")).toBe("Accept");
      expect(await response.text()).toContain('<base href="/">');
    }
    const reserved = ["/api", "/api/x", "//api/x", "/auth/x", "/docs/x", "/edge/x", "/health/x"];
    for (const path of [
      ...reserved,
      "/internal-backstage",
      "/ready/x",
      "/assets/x.js",
      "/api?a=/",
    ]) {
      const response = await open(path);
      expect([path, response.status]).toEqual([path, 404]);
      expect(await response.json()).toMatchObject({ name: "NotFoundError" });
    }
    expect((await open("/health")).headers.get("content-type")).not.toContain("html");
  });

  test.each([
    ["GET", "/api/frontend?userId=1"],
    ["POST", "/api/frontend/client/metrics"],
    ["OPTIONS", "/api/proxy"],
    ["GET", "/proxy"],
    ["POST", "/ofrep/v1/evaluate/flags"],
  ])("clients of the proxy get an explanation: %s %s", async (method, path) => {
    const open = await start();
    const response = await open(path, { accept: "application/json" }, method);
    expect(response.status).toBe(404);
    expect(await response.json()).toMatchObject({
      name: "NotFoundError",
      message:
        "This service has no API for browsers and mobile apps: give them the address of flags-proxy",
    });
    expect(
      await (await open("/api/frontends", { accept: "application/json" })).json(),
    ).toMatchObject({
      message: expect.stringContaining("/api/client"),
    });
    expect(await (await open("/nothing", { accept: "application/json" })).json()).toMatchObject({
      message: "No such path",
    });
  });

  test("the links of the console are relative to the path of PUBLIC_URL", async () => {
    for (const [publicUrl, base] of [
      ["https://example.com/flags/", "/flags/"],
      ["https://example.com/", "/"],
      [`https://example.com/a"b&c'/`, "/a%22b&amp;c&#39;/"],
    ]) {
      const options = { consoleDirectory: writeConsole() };
      const service = await startService(await source.openFresh(), { publicUrl }, options);
      const page = await service.request("/", { headers: { accept: BROWSER } });
      expect(await page.text()).toContain(`<base href="${base}">`);
    }
  });

  test("the console is sent at / to programs that accept anything, but not to those that expect JSON", async () => {
    const open = await start();
    const anything = await open("/", { accept: "*/*" });
    expect([anything.status, anything.headers.get("content-type")]).toEqual([
      200,
      "text/html; charset=utf-8",
    ]);
    expect((await open("/", { accept: "*/*" }, "POST")).status).toBe(404);
    expect((await open("/", { accept: "application/json" })).status).toBe(404);
  });

  test.each(["POST", "PUT", "DELETE", "OPTIONS"])(
    "%s to an unknown path gets a 404 before its body arrives",
    async (method) => {
      const { url } = await startService(await source.openFresh());
      const sent = request(`${url}/api/unknown`, {
        method,
        headers: { "content-type": "application/json", "content-length": 1000 },
      });
      onTestFinished(() => void sent.destroy());
      sent.write("[");
      const [response] = (await once(sent, "response")) as [IncomingMessage];
      expect(response.statusCode).toBe(404);
      response.resume();
    },
  );

  test("the console is sent for HEAD, but not for other methods and programs", async () => {
    const open = await start();
    expect((await open("/", { accept: BROWSER }, "HEAD")).status).toBe(200);
    for (const [accept, method] of [
      [BROWSER, "POST"],
      ["*/*", "GET"],
      ["application/json", "GET"],
    ] as const) {
      const response = await open("/projects", { accept }, method);
      expect([accept, method, response.status]).toEqual([accept, method, 404]);
      expect(response.headers.get("vary")).toBe("Accept");
      expect(await response.json()).toMatchObject({ name: "NotFoundError" });
    }
  });

  test("the console allows only its own files, and styles with a nonce that is never repeated", async () => {
    const open = await start();
    const nonces = new Set<string>();
    for (let count = 0; count < 3; count += 1) {
      // oxlint-disable-next-line no-await-in-loop -- one response after the other
      const response = await open("/");
      const policy = response.headers.get("content-security-policy") ?? "";
      const [, nonce = ""] = /'nonce-([\w+/=]{24})'/.exec(policy) ?? [];
      expect(policy).toBe(
        `default-src 'none'; script-src 'self'; style-src 'self' 'nonce-${nonce}'; img-src 'self' data:; font-src 'self'; connect-src 'self'; base-uri 'self'; form-action 'self'; frame-ancestors 'none'`,
      );
      const html = await response.text();
      expect(html.split(`nonce="${nonce}"`)).toHaveLength(3);
      expect(html).not.toContain("__");
      nonces.add(nonce);
      expect(response.headers.get("cross-origin-opener-policy")).toBe("same-origin");
      expect(response.headers.get("cross-origin-resource-policy")).toBe("same-origin");
      expect(response.headers.get("x-content-type-options")).toBe("nosniff");
      expect(response.headers.get("x-frame-options")).toBe("DENY");
      expect(response.headers.get("referrer-policy")).toBe("no-referrer");
    }
    expect(nonces.size).toBe(3);
  });

  test("files with hashes can be cached indefinitely, and are sent compressed", async () => {
    const open = await start();
    for (const coding of ["identity", "gzip", "br, gzip"]) {
      const response = await open("/assets/index-abc123.js", { "accept-encoding": coding });
      expect(response.status).toBe(200);
      expect(response.headers.get("cache-control")).toBe("public, max-age=31536000, immutable");
      expect(response.headers.get("content-type")).toMatch(/javascript/);
      expect(response.headers.get("content-encoding")).toBe(coding === "identity" ? null : "gzip");
      expect(response.headers.get("x-content-type-options")).toBe("nosniff");
      expect(await response.text()).toBe(SCRIPT);
    }
    const icon = await open("/favicon.svg");
    expect([icon.status, icon.headers.get("content-type")]).toEqual([200, "image/svg+xml"]);
    expect(icon.headers.get("cache-control")).toBe("no-cache");
  });

  test("only files in its folder are sent", async () => {
    const open = await start();
    for (const path of [
      "/assets/.hidden",
      "/assets/..%2findex.html",
      "/assets/..%2f..%2f..%2f..%2f..%2fetc%2fpasswd",
      "/assets/%00",
      "/assets/",
      "/assets/index-abc123.js%00.css",
    ]) {
      const response = await open(path);
      expect([path, response.status >= 400 && response.status < 500]).toEqual([path, true]);
      expect(await response.json()).toHaveProperty("name");
    }
  });
});

describeAnyStorage("requests for files", (source) => {
  const start = async () => {
    const consoleDirectory = writeConsole();
    return startService(await source.openFresh(), {}, { consoleDirectory });
  };
  const FILE = "/assets/index-abc123.js";
  const DOCS = "/docs/openapi/static/index.css";

  test.each([
    ["/assets/../index.html", {}, 404, "NotFoundError"],
    ["/assets/%2e%2e/%2e%2e/package.json", {}, 404, "NotFoundError"],
    ["/docs/openapi/static/../index.html", {}, 404, "NotFoundError"],
    ["/docs/openapi/static/%00", {}, 404, "NotFoundError"],
    [FILE, { range: "bytes=999999-" }, 416, "RangeNotSatisfiableError"],
    [FILE, { "if-match": '"another"' }, 412, "PreconditionFailedError"],
    [DOCS, { range: "bytes=999999-" }, 416, "RangeNotSatisfiableError"],
    [DOCS, { "if-match": '"another"' }, 412, "PreconditionFailedError"],
  ])("GET %s with the headers %j is a %i", async (path, headers, statusCode, name) => {
    const service = await start();
    // NOTE: not `fetch()`, which changes such paths.
    const sent = request(service.url, { path, headers }).end();
    const [response] = (await once(sent, "response")) as [IncomingMessage];
    expect([response.statusCode, await json(response)]).toEqual([
      statusCode,
      expect.objectContaining({ name, message: expect.any(String) as string }),
    ]);
    expect(service.errors).toEqual([]);
  });
});

describeAnyStorage("without a built console", (source) => {
  const service = useService(source);
  const open = (path: string, accept: string) => service.request(path, { headers: { accept } });

  test("the start page explains how to build the console", async () => {
    const response = await open("/", BROWSER);
    expect(response.status).toBe(404);
    expect(response.headers.get("content-type")).toBe("text/plain; charset=utf-8");
    expect(await response.text()).toContain("npm run build");
  });

  test.each([
    ["/", "*/*"],
    ["/", "application/json"],
    ["/projects", BROWSER],
  ])("%s is a JSON error for %s", async (path, accept) => {
    const response = await open(path, accept);
    expect(response.status).toBe(404);
    expect(response.headers.get("vary")).toBe("Accept");
    expect(await response.json()).toMatchObject({ name: "NotFoundError" });
  });
});
