import { expect, test } from "vitest";
import { startCommand } from "./_command.ts";
import { SAMPLE } from "./_documents.ts";
import { startFeatureServer } from "./_feature-server.ts";

const KEY = "a-client-key";

test("ETag: the same from two processes, and again after a restart", async () => {
  const upstream = await startFeatureServer(SAMPLE);
  const ask = async (): Promise<string | null> => {
    const proxy = startCommand({
      FLAGS_URL: upstream.url,
      FLAGS_API_TOKEN: "token",
      FLAGS_PROXY_CLIENT_KEYS: KEY,
    });
    const url = await proxy.listening();
    const request = (headers: Record<string, string> = {}): Promise<Response> =>
      fetch(`${url}/proxy?userId=7`, { headers: { authorization: KEY, ...headers } });
    await expect.poll(async () => (await request()).status, { timeout: 10_000 }).toBe(200);
    const etag = (await request()).headers.get("etag");
    expect((await request({ "if-none-match": etag ?? "" })).status).toBe(304);
    return etag;
  };
  const [one, two] = await Promise.all([ask(), ask()]);
  expect(one).toMatch(/^W\/"[0-9a-f]{32}"$/);
  expect(two).toBe(one);
  expect(await ask()).toBe(one);
});
