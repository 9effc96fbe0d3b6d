import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { skipsChromium, startChromium } from "../../../scripts/quickstart/_chromium.ts";
import { flag, withConstraint } from "../../proxy/test/_documents.ts";
import { KEY, proxyConfig, startProxy, type RunningApp } from "../../proxy/test/_proxy.ts";
import { startPageServer } from "./_page-server.ts";

const FOR_7 = flag("for-user-7", { strategies: [withConstraint("userId", ["7"])] });

describe.skipIf(skipsChromium)("the official client in Chromium, fed across origins", () => {
  let browser: Browser;
  let pages: Awaited<ReturnType<typeof startPageServer>>;

  beforeAll(async () => {
    browser = await startChromium();
    pages = await startPageServer();
  });

  afterAll(async () => {
    await browser.close();
    pages.close();
  });

  async function openPage({ url }: Pick<RunningApp, "url">, user: string) {
    const page = await browser.newPage();
    onTestFinished(() => page.close());
    const problems: string[] = [];
    page.on("pageerror", (error) => problems.push(String(error)));
    page.on("console", (message) => {
      if (message.type() === "error") problems.push(message.text());
    });
    const query = new URLSearchParams({ proxy: `${url}/proxy`, key: KEY, user });
    await page.goto(`${pages.url}?${query}`);
    return { shown: () => page.locator("output").textContent(), problems };
  }

  const read = async ({ request }: RunningApp, name: string): Promise<number> => {
    const text = await (await request("/proxy/internal-backstage/prometheus")).text();
    return Number(new RegExp(`^flags_proxy_push_${name} (\\d+)$`, "m").exec(text)?.[1]);
  };

  test("a change is shown without a poll, to the affected users only", async () => {
    const proxy = await startProxy({ document: { features: [FOR_7] } });
    const [seven, eight] = [await openPage(proxy, "7"), await openPage(proxy, "8")];
    await expect.poll(() => read(proxy, "streams")).toBe(2);
    expect(await seven.shown()).toBe("for-user-7");
    expect(await eight.shown()).toBe("");

    proxy.source.replace({ features: [FOR_7, flag("new")] });
    await expect.poll(seven.shown).toBe("for-user-7 new");
    await expect.poll(eight.shown).toBe("new");
    proxy.source.replace({ features: [flag("new")] });
    await expect.poll(seven.shown).toBe("new");
    expect([...seven.problems, ...eight.problems]).toEqual([]);
  });

  test("a stream that ends is resumed by the browser", async () => {
    const push = { ...proxyConfig().push, maxStreams: 10, maxAgeSeconds: 1 };
    const proxy = await startProxy({ document: { features: [FOR_7] }, config: { push } });
    const { shown, problems } = await openPage(proxy, "7");
    const opened = () => read(proxy, "streams_opened_total");
    await expect.poll(opened, { timeout: 20_000 }).toBeGreaterThan(1);
    proxy.source.replace({ features: [flag("new")] });
    await expect.poll(shown, { timeout: 20_000 }).toBe("new");
    expect(problems).toEqual([]);
  });
});
