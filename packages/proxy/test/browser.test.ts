import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { skipsChromium, startChromium } from "../../../scripts/quickstart/_chromium.ts";
import type { ProxyConfig } from "../src/config/config.ts";
import { flag } from "./_documents.ts";
import { bundle, startPageServer } from "./_page-server.ts";
import { KEY, proxyConfig, startProxy, startProxyOver, type RunningApp } from "./_proxy.ts";
import { DocumentSource } from "./_source.ts";

const VISIBLE = "on=disabled impressions=disabled for-user-7=disabled for-plan-gold=disabled";

describe.skipIf(skipsChromium)("a page of another origin in Chromium", () => {
  let browser: Browser;
  let script: string;

  beforeAll(async () => {
    [browser, script] = await Promise.all([
      startChromium(),
      bundle(new URL("_page-clients.js", import.meta.url)),
    ]);
  });

  afterAll(() => browser.close());

  /** Opens a page, and records its errors and the responses of the proxy. */
  async function openPage({ url }: RunningApp) {
    const page = await browser.newPage();
    onTestFinished(() => page.close());
    const problems: string[] = [];
    const responses: string[] = [];
    page.on("console", (message) => {
      if (message.type() === "error") problems.push(message.text());
    });
    page.on("pageerror", (error) => problems.push(error.message));
    page.on("response", (response) => {
      if (!response.url().startsWith(url)) return;
      responses.push(`${response.request().method()} ${response.status()}`);
    });
    const origin = await startPageServer(script);
    await page.goto(origin);
    return { page, problems, responses, origin };
  }

  /** Starts a proxy that records the methods of its requests. */
  async function startObserved(config: Partial<ProxyConfig> = {}) {
    const methods = new Set<string>();
    const proxy = await startProxy({ config });
    proxy.server.prependListener("request", ({ method = "" }) => methods.add(method));
    return { ...proxy, methods };
  }

  const CASES = ["/proxy", "/api/frontend"].flatMap((path) =>
    ["GET", "POST"].map((method) => [method, path] as const),
  );

  test.each(CASES)("unleash-proxy-client, %s %s", async (method, path) => {
    const proxy = await startObserved();
    const { page, problems, responses } = await openPage(proxy);
    const options = { url: proxy.url + path, clientKey: KEY, isPost: method === "POST" };
    await call(page, "startUnleash", options);

    await expect.poll(() => textOf(page)).toContain(VISIBLE);
    expect(await textOf(page)).toContain("with-variant=blue");
    expect(proxy.methods).toContain("OPTIONS");
    // Requires that the page may read the ETag and send If-None-Match.
    await expect.poll(() => responses).toContain(`${method} 304`);
    await expect
      .poll(() => proxy.source.usage)
      .toContainEqual(expect.objectContaining({ appName: "page" }));

    proxy.source.replace({ features: [flag("new")] });
    await expect.poll(() => textOf(page)).toBe("new=disabled");
    expect(problems).toEqual([]);
  });

  test.each(["/proxy", "/api/frontend"])("@unleash/proxy-client-react, %s", async (path) => {
    const proxy = await startObserved();
    const { page, problems, responses } = await openPage(proxy);
    await call(page, "renderReact", { url: proxy.url + path, clientKey: KEY });

    await expect.poll(() => textOf(page)).toBe("for-user-7: true, blue");
    await expect.poll(() => responses).toContain("GET 304");
    proxy.source.replace({ features: [flag("new")] });
    await expect.poll(() => textOf(page)).toBe("for-user-7: false, disabled");
    expect(proxy.methods).toContain("OPTIONS");
    expect(problems).toEqual([]);
  });

  test.each([
    ["a bearer token", ["Authorization", `Bearer ${KEY}`]],
    ["a bare key", ["Authorization", KEY]],
    ["X-API-Key", ["X-API-Key", KEY]],
  ])("@openfeature/ofrep-web-provider with %s", async (_what, header) => {
    const proxy = await startObserved({ basePath: "/base" });
    const { page, problems, responses } = await openPage(proxy);
    const options = { url: `${proxy.url}/base`, headers: [header], pollInterval: 100 };
    await call(page, "startOpenFeature", options);

    await expect
      .poll(() => textOf(page))
      .toBe("for-user-7=true,TARGETING_MATCH,enabled with-variant=true,STATIC,blue");
    await expect.poll(() => responses).toContain("POST 304");
    proxy.source.replace({ features: [flag("for-user-7"), flag("with-variant")] });
    await expect
      .poll(() => textOf(page))
      .toBe("for-user-7=true,STATIC,enabled with-variant=true,STATIC,enabled");
    expect(proxy.methods).toContain("OPTIONS");
    expect(problems).toEqual([]);
  });

  test("@openfeature/ofrep-web-provider with a stream, without polling", async () => {
    const proxy = await startObserved({ basePath: "/base", ofrepEventStreams: true });
    const { page, problems, responses } = await openPage(proxy);
    const headers = [["X-API-Key", KEY]];
    const options = { url: `${proxy.url}/base`, headers, pollInterval: 0 };
    await call(page, "startOpenFeature", options);
    await expect.poll(() => textOf(page)).toContain("with-variant=true,STATIC,blue");

    // A new stream makes the client fetch the flags again, in case it has missed a change.
    await expect.poll(() => responses).toContain("GET 200");
    await expect.poll(() => responses).toContain("POST 304");
    for (const isOn of [false, true]) {
      proxy.source.replace({ features: [flag("with-variant", { enabled: isOn }), flag("other")] });
      // oxlint-disable-next-line no-await-in-loop -- changes must not overlap
      await expect.poll(() => textOf(page)).toContain(`with-variant=${isOn},`);
    }
    expect(problems).toEqual([]);
  });

  const ENDPOINTS = [
    ["GET", "/proxy"],
    ["POST", "/proxy"],
    ["GET", "/api/frontend"],
    ["GET", "/api/frontend/features/on"],
    ["POST", "/ofrep/v1/evaluate/flags"],
    ["POST", "/ofrep/v1/evaluate/flags/on"],
  ] as const;

  test.each(ENDPOINTS)("%s %s: scripts can read ETag and Retry-After", async (method, path) => {
    const proxy = await startProxy();
    const { page } = await openPage(proxy);
    const init = initOf(method);
    expect(await call(page, "look", proxy.url + path, init)).toMatchObject({
      status: 200,
      etag: expect.stringMatching(/^W\/"/) as string,
    });
    const unready = await startProxyOver(new DocumentSource());
    const early = await call(page, "look", unready.url + path, init);
    expect(early).toMatchObject({ status: 503, retryAfter: "1" });
  });

  test("cors.origin: only a listed origin can read responses", async () => {
    const { cors } = proxyConfig();
    const closed = await startProxy({ config: { cors: { ...cors, origin: ["https://a.test"] } } });
    const { page, origin } = await openPage(closed);
    const open = await startProxy({ config: { cors: { ...cors, origin: [origin] } } });
    for (const [method, path] of ENDPOINTS) {
      const init = initOf(method);
      expect(await call(page, "look", closed.url + path, init), path).toBeUndefined();
      expect(await call(page, "look", open.url + path, init), path).toMatchObject({ status: 200 });
    }
  });

  test.each(["/docs/openapi", "/docs/openapi/"])(
    "%s: opens, runs a request, and logs no errors",
    async (path) => {
      const { url } = await startProxy({ config: { openApiEnabled: true, basePath: "/base" } });
      const page = await browser.newPage();
      onTestFinished(() => page.close());
      const problems: string[] = [];
      page.on("console", (message) => {
        if (["error", "warning"].includes(message.type())) problems.push(message.text());
      });
      page.on("pageerror", (error) => problems.push(error.message));
      await page.goto(`${url}/base${path}`);

      const operation = page.locator("#operations-Operations-getProxyHealth");
      await operation.click();
      await operation.getByRole("button", { name: "Try it out" }).click();
      await operation.getByRole("button", { name: "Execute" }).click();
      await operation.locator(".live-responses-table").getByText("200").first().waitFor();
      expect(problems).toEqual([]);
    },
  );
});

/** A request with headers that a browser sends across origins only after a preflight. */
function initOf(method: "GET" | "POST") {
  const headers = {
    authorization: KEY,
    "x-api-key": KEY,
    "if-none-match": 'W/"none"',
    "unleash-appname": "page",
    "unleash-connection-id": "1",
    "unleash-sdk": "page:1",
    "x-of-the-application": "1",
  };
  if (method === "GET") return { method, headers };
  const body = JSON.stringify({ context: {} });
  return { method, body, headers: { ...headers, "content-type": "application/json" } };
}

/** Calls a function of the page's script once it is loaded. */
async function call(page: Page, name: string, ...given: readonly unknown[]): Promise<unknown> {
  await page.waitForFunction(`${name} !== undefined`);
  return page.evaluate(`${name}(${given.map((value) => JSON.stringify(value)).join(", ")})`);
}

function textOf(page: Page): Promise<string | null> {
  return page.locator("#root").textContent();
}
