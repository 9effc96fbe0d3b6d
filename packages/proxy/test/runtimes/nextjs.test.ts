// The example for Next.js, built and served, in Chromium with JavaScript delayed.

import type { Browser, Page, Route } from "playwright-core";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { runCommand } from "../../../../scripts/clients/command.mjs";
import { skipsChromium, startChromium } from "../../../../scripts/quickstart/_chromium.ts";
import { EXAMPLES, findProgram } from "../../../../scripts/runtimes/install.mjs";
import { startExample } from "../../../../scripts/runtimes/start-example.mjs";
import { startControlledUpstream } from "../_controlled-upstream.ts";
import { flag, withConstraint } from "../_documents.ts";
import { createDirectory } from "./_runtimes.ts";

const KEY = "web-client-key";
/** Flags that are on for half of all visitors: with so many, another evaluation would give another result. */
const halves = (stickiness: string) =>
  Array.from({ length: 20 }, (_, index) =>
    flag(`${stickiness}-${index}`, {
      strategies: [
        {
          name: "flexibleRollout",
          parameters: { rollout: "50", stickiness, groupId: `${index}` },
          constraints: [],
        },
      ],
    }),
  );
const DOCUMENT = {
  version: 2,
  features: [
    flag("new-header", { strategies: [withConstraint("userId", ["7"])] }),
    ...["userId", "sessionId", "random"].flatMap(halves),
  ],
};

/** Records each text that the page shows, from before its first script. */
const RECORD = `window.texts = new Set();
new MutationObserver(() => {
  const main = document.querySelector("main");
  if (main) window.texts.add(main.textContent);
}).observe(document, { childList: true, characterData: true, subtree: true });`;

/** The refresh interval of the client: earlier, it requests nothing. */
const QUIET_MS = 30_000;

describe.skipIf(skipsChromium)("Next.js, in Chromium", () => {
  let browser: Browser;

  beforeAll(async () => {
    const build = [process.execPath, findProgram("next"), "build"];
    const env = { ...process.env, NODE_ENV: "production", NEXT_TELEMETRY_DISABLED: "1" };
    await runCommand(build, { cwd: `${EXAMPLES}/nextjs`, env, timeoutSeconds: 600 });
    browser = await startChromium();
  });
  afterAll(() => browser?.close());

  async function serve() {
    const upstream = await startControlledUpstream(DOCUMENT);
    const { url, command } = await startExample("nextjs", {
      environment: {
        FLAGS_URL: upstream.url,
        FLAGS_API_TOKEN: "default:production.upstream-token",
        FLAGS_PROXY_CLIENT_KEYS: KEY,
      },
      stateDirectory: await createDirectory(onTestFinished),
    });
    onTestFinished(() => command.stop());
    return { upstream, url };
  }

  async function openPage() {
    const page = await browser.newPage();
    onTestFinished(() => page.close());
    const problems: string[] = [];
    const requests: string[] = [];
    page.on("console", (message) => {
      const isIcon = message.location().url.endsWith("/favicon.ico");
      if (message.type() === "error" && !isIcon) problems.push(message.text());
    });
    page.on("pageerror", (error) => problems.push(error.message));
    page.on("request", (request) => {
      const { pathname } = new URL(request.url());
      if (pathname === "/flags/proxy") requests.push(request.method());
    });
    await page.clock.install();
    await page.addInitScript(RECORD);
    return { page, problems, requests };
  }

  test("the route handler responds as other runtimes do, and reports usage afterwards", async () => {
    const { upstream, url } = await serve();
    const headers = { authorization: KEY, "content-type": "application/json" };
    const all = await Promise.all(
      Array.from({ length: 100 }, async () => {
        const response = await fetch(`${url}/flags/proxy?userId=8`, { headers });
        return [response.status, response.headers.get("etag") !== null];
      }),
    );
    expect(new Set(all.map(String))).toEqual(new Set(["200,true"]));
    expect(upstream.statuses).toEqual([200]);
    const time = "2026-01-01T00:00:00Z";
    const bucket = { start: time, stop: time, toggles: { "new-header": { yes: 3, no: 0 } } };
    const report = await fetch(`${url}/flags/proxy/client/metrics`, {
      method: "POST",
      headers,
      body: JSON.stringify({ appName: "web", instanceId: "browser", bucket }),
    });
    expect(report.status).toBe(200);
    await expect
      .poll(() => upstream.posts.get("/api/client/metrics"))
      .toMatchObject([{ appName: "web", bucket: { toggles: { "new-header": { yes: 3 } } } }]);
  });

  test("the page shows the flags of its user before any script, and hydrates without a flip", async () => {
    const { url } = await serve();
    const { page, problems, requests } = await openPage();
    const scripts: Route[] = [];
    let isDelayed = true;
    await page.route("**/*.js", (route) => {
      if (isDelayed) scripts.push(route);
      else void route.continue();
    });
    await page.goto(`${url}/?user=7`, { waitUntil: "commit" });
    await page.locator("main").waitFor();
    await expect.poll(() => scripts.length).toBeGreaterThan(0);
    const rendered = await textOf(page);
    expect(rendered).toContain("New header");
    for (const kind of ["userId", "sessionId", "random"]) expect(rendered).toContain(`${kind}-`);

    isDelayed = false;
    for (const script of scripts) void script.continue();
    await isHydrated(page);
    await page.clock.runFor(QUIET_MS - 5000);
    expect(requests).toEqual([]);
    expect(await page.evaluate("[...window.texts]")).toEqual([rendered]);

    // The context of the page gives the browser the same flags, except for those that are random.
    await page.clock.runFor(QUIET_MS);
    await expect.poll(() => requests).not.toEqual([]);
    await expect.poll(() => page.evaluate("window.texts.size")).toBeGreaterThan(1);
    expect(withoutRandom(await textOf(page))).toBe(withoutRandom(rendered));
    expect(problems).toEqual([]);
  });

  test("another user gets other flags, with the session of the cookie", async () => {
    const { url } = await serve();
    const read = async (user: string) => {
      const headers = { cookie: "session=s-1" };
      const response = await fetch(`${url}/?user=${user}`, { headers });
      expect(response.headers.get("cache-control")).toMatch(/private|no-store/);
      const [, text = ""] = /<p id="flags">(.*?)<\/p>/.exec(await response.text()) ?? [];
      return text.split(" ");
    };
    const [seven, again, eight] = [await read("7"), await read("7"), await read("8")];
    const ofKind = (names: readonly string[], kind: string) =>
      names.filter((name) => name.startsWith(kind));
    for (const kind of ["userId", "sessionId"])
      expect(ofKind(again, kind)).toEqual(ofKind(seven, kind));
    expect(ofKind(eight, "sessionId")).toEqual(ofKind(seven, "sessionId"));
    expect(ofKind(eight, "userId")).not.toEqual(ofKind(seven, "userId"));
  });
});

/** React has attached itself to the page. */
async function isHydrated(page: Page): Promise<void> {
  await page.waitForFunction(
    "Object.keys(document.querySelector('main') ?? {}).some((key) => key.startsWith('__react'))",
  );
}

async function textOf(page: Page): Promise<string> {
  return (await page.locator("main").textContent()) ?? "";
}

function withoutRandom(text: string): string {
  return text.replaceAll(/random-\d+ ?/g, "").trim();
}
