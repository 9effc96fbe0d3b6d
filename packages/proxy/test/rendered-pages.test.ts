// Pages that a server renders with `evaluate()`, in Chromium: the official clients start with the flags of the page.

import type { Browser, Page, Route } from "playwright-core";
import type { ReactNode } from "react";
import { renderToString } from "react-dom/server";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { serializeForScript } from "flags-sdk";
import { skipsChromium, startChromium } from "../../../scripts/quickstart/_chromium.ts";
import { flag, withConstraint } from "./_documents.ts";
// @ts-expect-error -- a script for browsers
import * as flagList from "./_flag-list.js";
import { bundle, startPageServer, toHtml } from "./_page-server.ts";
import { KEY, startProxy, type TestProxy } from "./_proxy.ts";

const { createFlagList, describeFlags } = flagList as {
  createFlagList: (options: object) => ReactNode;
  describeFlags: (
    names: readonly string[],
    isOn: (name: string) => boolean,
    title: string,
  ) => string;
};

const CLIENTS = ["unleash", "react", "openfeature"] as const;
type Client = (typeof CLIENTS)[number];

const TITLE = "</script><script>window.isAttacked = true</script>";
const title = flag("title", {
  variants: [{ name: "v", weight: 1, payload: { type: "string", value: TITLE } }],
});
/** Flags that are on for half of all visitors: with so many, another evaluation would give another result. */
const halves = (stickiness: string) =>
  Array.from({ length: 20 }, (_, index) => {
    const parameters = { rollout: "50", stickiness, groupId: `${index}` };
    return flag(`${stickiness}-${index}`, {
      strategies: [{ name: "flexibleRollout", parameters }],
    });
  });
const STICKY = { features: [title, ...halves("userId"), ...halves("sessionId")] };
const ALSO_RANDOM = { features: [...STICKY.features, ...halves("random")] };

/** Milliseconds until the clients request flags: their `togglesStorageTTL`, refresh or poll interval. */
const QUIET_MS = 30_000;

describe.skipIf(skipsChromium)("a page that a server renders, in Chromium", () => {
  let browser: Browser;
  let script: string;

  beforeAll(async () => {
    [browser, script] = await Promise.all([
      startChromium(),
      bundle(new URL("_rendered-page.js", import.meta.url)),
    ]);
  });

  afterAll(() => browser.close());

  /** Serves pages for the user in their query, with the text of `read` as their content. */
  function servePages({ url, evaluate }: TestProxy, client: Client, names: readonly string[]) {
    return startPageServer(script, ({ searchParams }) => {
      const flags = evaluate({ userId: searchParams.get("user") ?? "" }, { key: KEY });
      const { bootstrap, ofrep } = flags;
      const { toggles, context } = bootstrap;
      const shared = { client, url, clientKey: KEY, names };
      const data = client === "openfeature" ? { ...shared, ofrep } : { ...shared, bootstrap };
      const text = describeFlags(
        names,
        (name) => flags.isEnabled(name),
        flags.getVariant("title").payload?.value ?? "none",
      );
      const config = { url, clientKey: KEY, appName: "page", bootstrap: toggles, context };
      const content =
        client === "react"
          ? renderToString(createFlagList({ config, names }))
          : text.replaceAll("<", "&lt;");
      return toHtml(content, `<script>window.PAGE = ${serializeForScript(data)}</script>`);
    });
  }

  /** Opens an empty page with a clock of its own, and records its errors and its requests for flags. */
  async function openPage({ url }: TestProxy) {
    const page = await browser.newPage();
    onTestFinished(() => page.close());
    const problems: string[] = [];
    const responses: number[] = [];
    const requests: string[] = [];
    page.on("console", (message) => {
      if (message.type() === "error") problems.push(message.text());
    });
    page.on("pageerror", (error) => problems.push(error.message));
    const isForFlags = (target: string) =>
      target.startsWith(url) && !target.includes("/client/metrics");
    page.on("request", (request) => {
      if (isForFlags(request.url())) requests.push(request.method());
    });
    page.on("response", (response) => {
      if (isForFlags(response.url()) && response.request().method() !== "OPTIONS") {
        responses.push(response.status());
      }
    });
    await page.clock.install();
    return { page, problems, requests, responses };
  }

  test.each(CLIENTS)(
    "%s: the flags are shown before any script, and do not flip before the first request",
    async (client) => {
      const proxy = await startProxy({ document: ALSO_RANDOM });
      const names = ALSO_RANDOM.features.map(({ name }) => name);
      const origin = await servePages(proxy, client, names);
      const { page, problems, requests } = await openPage(proxy);
      const scripts: Route[] = [];
      await page.route("**/script.js", (route) => void scripts.push(route));
      await page.goto(`${origin}?user=7`, { waitUntil: "commit" });
      await page.locator("#root").waitFor();
      const rendered = await textOf(page);
      expect(rendered).toContain(`title `);
      expect(rendered).toContain(`; ${TITLE}`);
      for (const kind of ["userId", "sessionId", "random"]) expect(rendered).toContain(`${kind}-`);
      expect(await page.evaluate("window.texts")).toBeUndefined();

      await expect.poll(() => scripts).toHaveLength(1);
      await scripts[0]?.continue();
      await isStarted(page);
      await page.clock.runFor(QUIET_MS - 1000);
      expect(requests).toEqual([]);
      expect(new Set(await textsOf(page))).toEqual(new Set([rendered]));
      expect(await page.evaluate("window.isAttacked")).toBeUndefined();

      // The context of the page gives the browser the same flags, except for those that are random.
      await page.clock.runFor(2000);
      await expect.poll(async () => new Set(await textsOf(page)).size).toBe(2);
      expect(withoutRandom(await textOf(page))).toBe(withoutRandom(rendered));
      expect(problems).toEqual([]);
    },
  );

  test.each(CLIENTS)(
    "%s: the first request confirms the flags of the page, and later ones change them",
    async (client) => {
      const proxy = await startProxy({ document: STICKY });
      const names = STICKY.features.map(({ name }) => name);
      const origin = await servePages(proxy, client, names);
      const { page, problems, responses } = await openPage(proxy);
      await visit(page, `${origin}?user=7`);
      const rendered = (await textsOf(page))[0];
      await page.clock.runFor(QUIET_MS + 1000);
      // The official client of Unleash does not accept an `ETag`.
      await expect.poll(() => responses).toEqual([client === "openfeature" ? 304 : 200]);
      expect(new Set(await textsOf(page))).toEqual(new Set([rendered]));

      proxy.source.replace({ features: [flag("userId-1")] });
      await page.clock.runFor(QUIET_MS);
      await expect.poll(() => textOf(page)).toBe("userId-1; none");
      expect(problems).toEqual([]);
    },
  );

  test.each(CLIENTS)("%s: shows no flags of the previous visitor", async (client) => {
    const onlyFor7 = flag("for-7", { strategies: [withConstraint("userId", ["7"])] });
    const proxy = await startProxy({ document: { features: [onlyFor7] } });
    const origin = await servePages(proxy, client, ["for-7"]);
    const { page, problems } = await openPage(proxy);
    await visit(page, `${origin}?user=7`);
    expect(await textOf(page)).toBe("for-7; none");
    await visit(page, `${origin}?user=8`);
    await page.clock.runFor(QUIET_MS - 1000);
    expect(new Set(await textsOf(page))).toEqual(new Set(["; none"]));
    expect(problems).toEqual([]);
  });

  test("openfeature: another context is requested at once, and the same one is not", async () => {
    const onlyFor8 = flag("for-8", { strategies: [withConstraint("userId", ["8"])] });
    const proxy = await startProxy({ document: { features: [onlyFor8] } });
    const origin = await servePages(proxy, "openfeature", ["for-8"]);
    const { page, problems, responses } = await openPage(proxy);
    await visit(page, `${origin}?user=7`);
    await page.evaluate("window.setUser('7')");
    expect(responses).toEqual([]);
    await page.evaluate("window.setUser('8')");
    expect(responses).toEqual([200]);
    await expect.poll(() => textOf(page)).toBe("for-8; none");
    expect(problems).toEqual([]);
  });
});

async function visit(page: Page, url: string): Promise<void> {
  await page.goto(url);
  await isStarted(page);
}

async function isStarted(page: Page): Promise<void> {
  await page.waitForFunction("window.isStarted");
}

function textOf(page: Page): Promise<string> {
  return page.locator("#root").innerText();
}

function textsOf(page: Page): Promise<string[]> {
  return page.evaluate("window.texts");
}

function withoutRandom(text: string): string {
  return text.replaceAll(/random-\d+ ?/g, "").trim();
}
