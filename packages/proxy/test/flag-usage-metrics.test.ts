import { expect, test } from "vitest";
import { SAMPLE } from "./_documents.ts";
import { type RunningApp, startProxy } from "./_proxy.ts";

const NAME = "flags_proxy_flag_usage_total";

const report = (appName: string, toggles: object) => ({ appName, bucket: { toggles } });

async function readUsage({ url }: RunningApp): Promise<readonly string[]> {
  const response = await fetch(`${url}/proxy/internal-backstage/prometheus`);
  const lines = (await response.text()).split("\n");
  return lines.filter((line) => line.startsWith(NAME)).map((line) => line.slice(NAME.length));
}

test("usage is counted by flag and by the listed applications", async () => {
  const proxy = await startProxy({ config: { usageMetricsApplications: ["web"] } });
  await proxy.post("/proxy/client/metrics", report("web", { on: { yes: 2, no: 1 } }));
  await proxy.post("/proxy/client/metrics", report("web", { on: { yes: 3 } }));
  await proxy.post("/proxy/client/metrics", report("unlisted", { on: { yes: 7 } }));
  expect(await readUsage(proxy)).toEqual([
    '{source="default",flag="on",application="web",result="yes"} 5',
    '{source="default",flag="on",application="web",result="no"} 1',
    '{source="default",flag="on",application="other",result="yes"} 7',
    '{source="default",flag="on",application="other",result="no"} 0',
  ]);
});

test("clients cannot invent time series", async () => {
  const proxy = await startProxy({ config: { usageMetricsApplications: ["web"] } });
  for (let batch = 0; batch < 20; batch += 1) {
    const toggles = Object.fromEntries(
      Array.from({ length: 50 }, (_, index) => [`invented-${batch}-${index}`, { yes: 1 }]),
    );
    // oxlint-disable-next-line no-await-in-loop -- one after the other
    await proxy.post("/proxy/client/metrics", report(`invented-${batch}`, toggles));
  }
  await proxy.post("/proxy/client/metrics", report("web", { __proto__x: { yes: 1, no: 1 } }));
  const usage = await readUsage(proxy);
  expect(usage).toHaveLength(4);
  expect(usage.join("\n")).not.toContain("invented");
  expect(usage[0]).toBe('{source="default",flag="other",application="other",result="yes"} 1000');
});

test("usage is not counted unless applications are listed", async () => {
  const proxy = await startProxy({ document: SAMPLE });
  await proxy.post("/proxy/client/metrics", report("web", { on: { yes: 2 } }));
  expect(await readUsage(proxy)).toEqual([]);
});
