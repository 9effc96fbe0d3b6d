// The examples of examples/runtimes, as the guides say.

import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { type ExampleName, startExample } from "../../../../scripts/runtimes/start-example.mjs";
import { startControlledUpstream } from "../_controlled-upstream.ts";
import { flag, withConstraint } from "../_documents.ts";
import { createDirectory } from "./_runtimes.ts";

const KEY = "web-client-key";
const DOCUMENT = {
  version: 2,
  features: [
    flag("new-header", {
      strategies: [withConstraint("userId", ["7"])],
      variants: [{ name: "blå", weight: 1000, stickiness: "default" }],
    }),
  ],
};
const TOGGLES = {
  toggles: [
    {
      name: "new-header",
      enabled: true,
      variant: { name: "blå", enabled: true },
      impressionData: false,
    },
  ],
};

const TIME = "2026-01-01T00:00:00Z";

async function startAll(name: ExampleName) {
  const upstream = await startControlledUpstream(DOCUMENT);
  const environment = {
    FLAGS_URL: upstream.url,
    FLAGS_API_TOKEN: "default:production.upstream-token",
    FLAGS_PROXY_CLIENT_KEYS: KEY,
  };
  const stateDirectory = await createDirectory(onTestFinished);
  const start = async () => {
    const example = await startExample(name, { environment, stateDirectory });
    onTestFinished(() => example.command.stop());
    return example;
  };
  return { upstream, start, stateDirectory };
}

/** Whether a cache has stored the flags. NOTE: Deno ends without waiting for that. */
async function hasStored(directory: string): Promise<boolean> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  const contents = await Promise.all(
    files.map(({ parentPath, name }) => readFile(join(parentPath, name))),
  );
  return contents.some((content) => content.includes("new-header"));
}

const request = (url: string, init: RequestInit = {}) =>
  fetch(url, { headers: { authorization: KEY, "content-type": "application/json" }, ...init });

test.each(["workers", "workers-kv", "deno", "bun"] as const)(
  "%s: serves flags, reports usage, and starts again from its cache",
  async (name) => {
    const { upstream, start, stateDirectory } = await startAll(name);
    const first = await start();
    const response = await request(`${first.url}/proxy?userId=7`);
    expect(response.status).toBe(200);
    expect(await response.json()).toEqual(TOGGLES);
    expect(await (await request(`${first.url}/proxy?userId=8`)).json()).toEqual({ toggles: [] });
    const bulk = await request(`${first.url}/ofrep/v1/evaluate/flags`, {
      method: "POST",
      body: '{"context":{"targetingKey":"7"}}',
    });
    expect(await bulk.text()).not.toContain("eventStreams");
    const bucket = { start: TIME, stop: TIME, toggles: { "new-header": { yes: 3, no: 0 } } };
    const report = await request(`${first.url}/proxy/client/metrics`, {
      method: "POST",
      body: JSON.stringify({ appName: "web", instanceId: "browser", bucket }),
    });
    expect(report.status).toBe(200);
    await expect
      .poll(() => upstream.posts.get("/api/client/metrics"))
      .toMatchObject([{ appName: "web", bucket: { toggles: { "new-header": { yes: 3 } } } }]);
    if (name === "deno") await expect.poll(() => hasStored(stateDirectory)).toBe(true);
    await first.command.stop();

    upstream.failure = 503;
    const second = await start();
    const again = await request(`${second.url}/proxy?userId=7`);
    // Bun has no cache.
    expect(again.status).toBe(name === "bun" ? 503 : 200);
    if (again.ok) expect(await again.json()).toEqual(TOGGLES);
  },
);

test.each(["express", "hono"] as const)("%s: renders a page, and serves flags", async (name) => {
  const { start } = await startAll(name);
  const { url } = await start();
  expect(await (await fetch(`${url}/?userId=7`)).text()).toBe("New page");
  expect(await (await fetch(`${url}/?userId=8`)).text()).toBe("Old page");
  expect(await (await request(`${url}/flags/proxy?userId=7`)).json()).toEqual(TOGGLES);
  const posted = await request(`${url}/flags/proxy`, {
    method: "POST",
    body: '{"context":{"userId":"7"}}',
  });
  expect(await posted.json()).toEqual(TOGGLES);
});
