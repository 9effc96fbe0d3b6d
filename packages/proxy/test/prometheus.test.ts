import { expect, test } from "vitest";
import { startProxy } from "./_proxy.ts";
import { DocumentSource } from "./_source.ts";
import { SAMPLE } from "./_documents.ts";

async function scrape(url: string): Promise<string> {
  const response = await fetch(`${url}/proxy/internal-backstage/prometheus`);
  expect(response.status).toBe(200);
  expect(response.headers.get("content-type")).toMatch(/^text\/plain; version=0\.0\.4/);
  return response.text();
}

test("flags_proxy_up is a counter, which is 1 while the proxy runs", async () => {
  const text = await scrape((await startProxy()).url);
  expect(text).toContain("# TYPE flags_proxy_up counter\nflags_proxy_up 1\n");
});

test("last_metrics_update_epoch_timestamp_ms: a gauge, the time of the last flag update", async () => {
  const text = await scrape((await startProxy()).url);
  expect(text).toContain("# TYPE last_metrics_update_epoch_timestamp_ms gauge\n");
  expect(text).toContain("\nlast_metrics_update_epoch_timestamp_ms 1600000000000\n");
});

test("last_metrics_fetch_epoch_timestamp_ms: a gauge, the time of the last check for updates", async () => {
  const text = await scrape((await startProxy()).url);
  expect(text).toContain("# TYPE last_metrics_fetch_epoch_timestamp_ms gauge\n");
  expect(text).toContain("\nlast_metrics_fetch_epoch_timestamp_ms 1700000000000\n");
});

test("metrics of the proxy: requests by route and status, flags, usage and upstream errors", async () => {
  const source = new DocumentSource(SAMPLE);
  const { url, request, post } = await startProxy({ source });
  await (await request("/proxy?userId=<script>")).text();
  await (await request("/proxy", { headers: { authorization: "wrong" } })).text();
  await (await request("/made/up/path")).text();
  await (
    await post("/proxy/client/metrics", {
      appName: "a",
      bucket: { toggles: { a: { yes: 1e9 }, b: {} } },
    })
  ).text();
  source.emit("error", new Error("upstream is down"));

  const text = await scrape(url);
  const requests = 'flags_proxy_http_requests_total{method="GET",route=';
  expect(text).toContain(`${requests}"/proxy",status="200"} 1\n`);
  expect(text).toContain(`${requests}"/proxy",status="401"} 1\n`);
  expect(text).toContain(`${requests}"none",status="404"} 1\n`);
  expect(text).toContain(
    'flags_proxy_http_request_duration_seconds_count{method="GET",route="/proxy",status="200"} 1\n',
  );
  expect(text).toContain("\nflags_proxy_flags 7\n");
  expect(text).toContain("\nflags_proxy_usage_entries_total 2\n");
  expect(text).toContain("\nflags_proxy_upstream_errors_total 1\n");
  expect(text).toContain("\nprocess_cpu_user_seconds_total ");
  expect(text).not.toMatch(/<script|made.up/);
});

test("two proxies in one process have separate metrics", async () => {
  const [one, two] = [await startProxy(), await startProxy()];
  await (await one.request("/proxy")).text();
  expect(await scrape(one.url)).toContain('route="/proxy",status="200"} 1\n');
  expect(await scrape(two.url)).not.toContain('route="/proxy"');
});
