import { sql } from "drizzle-orm";
import { expect, test } from "vitest";
import { choose } from "./_actions.ts";
import { createFlag } from "../../admin/test/_flags.ts";
import { BACKEND_TOKEN } from "../../admin/test/_service.ts";
import {
  type Console,
  describeConsole,
  expectAccessible,
  SIZES,
  clickControl,
} from "./_console.ts";

interface Counts {
  readonly yes: number;
  readonly no: number;
  readonly variants?: Readonly<Record<string, number>>;
}

async function report(console: Console, appName: string, flag: string, counts: Counts) {
  const now = new Date().toISOString();
  const response = await console.request("/api/client/metrics", {
    method: "POST",
    token: BACKEND_TOKEN,
    body: { appName, bucket: { start: now, stop: now, toggles: { [flag]: counts } } },
  });
  expect(response.status).toBe(202);
}

describeConsole("the usage of a flag", (console) => {
  test.each(SIZES)("usage is shown as bars and numbers on a %s", async (size) => {
    const name = `counted-${size}`;
    await createFlag(console, name);
    await report(console, "web", name, { yes: 1_234_000, no: 500, variants: { red: 1_234_000 } });
    await report(console, "ios", name, { yes: 7, no: 0 });

    const page = await console.open(`/projects/default/flags/${name}?tab=usage`, { size });
    const chart = page.getByRole("slider");
    await chart.waitFor();
    await page.getByText("1,234,007 times on").waitFor();
    await expectAccessible(page);

    await chart.focus();
    expect(await chart.getAttribute("aria-valuetext")).toMatch(/: On 1,234,007, Off 500$/);
    await page.locator(".chart-tip").getByText("1,234,007").waitFor();
    await page.keyboard.press("ArrowLeft");
    expect(await chart.getAttribute("aria-valuetext")).toMatch(/: On 0, Off 0$/);
    await page.keyboard.press("End");
    expect(await chart.getAttribute("aria-valuetext")).toMatch(/: On 1,234,007, Off 500$/);

    await choose(page, "Application", "ios");
    await page.getByText("7 times on").waitFor();
    await clickControl(page.getByRole("switch", { name: "As a table" }));
    const table = page.getByRole("table");
    expect(await table.getByRole("cell").allInnerTexts()).toEqual(["7", "0"]);
    await expectAccessible(page);

    await choose(page, "Application", "All applications");
    await choose(page, "Group by", "Variants");
    expect(await table.getByRole("columnheader").allInnerTexts()).toEqual(["Time", "red"]);
    expect(await table.getByRole("cell").allInnerTexts()).toEqual(["1,234,000"]);
    await choose(page, "Group by", "Applications");
    expect(await table.getByRole("cell").allInnerTexts()).toEqual(["1,234,500", "7"]);

    const raw = (await console.admin("GET", `/client-metrics/features/${name}/raw`)) as {
      data: { yes: number }[];
    };
    expect(raw.data.reduce((sum, { yes }) => sum + yes, 0)).toBe(1_234_007);
  });

  test("explains how usage is reported, and which periods are kept", async () => {
    await createFlag(console, "never-used");
    const page = await console.open("/projects/default/flags/never-used?tab=usage");
    await page.getByText("No application evaluated this flag in the last 24 hours").waitFor();
    await expectAccessible(page);
    await page.getByRole("button", { name: "Time" }).click();
    expect(await page.getByRole("option").allInnerTexts()).toEqual([
      "24 hours",
      "48 hours",
      "30 days",
      "91 days",
    ]);
    await page.getByRole("option", { name: "48 hours" }).click();
    await page.getByText("in the last 48 hours").waitFor();
    // A reload keeps the period, which can be shared.
    await expect.poll(() => new URL(page.url()).searchParams.get("period")).toBe("48h");
    await page.reload();
    await page.getByText("in the last 48 hours").waitFor();
    await page.goto(page.url().replace("48h", "7years"));
    await page.getByText("in the last 24 hours").waitFor();
    await choose(page, "Time", "48 hours");
    await page.getByText("kept by hour for 48 hours, and by day for 91 days.").waitFor();
  });

  test("usage by day is shown for 91 days", async () => {
    await createFlag(console, "steady");
    await console.storage.db.execute(sql`
      update features set created_at = now() - interval '100 days' where name = 'steady'`);
    await console.storage.db.execute(sql`
      insert into feature_usage_days (feature, environment, day, app_name, yes)
      select 'steady', 'production', date_trunc('day', now(), 'UTC') - make_interval(hours => 24 * age), 'web', age
      from generate_series(1, 90) as age`);
    await report(console, "web", "steady", { yes: 5, no: 0 });
    const page = await console.open("/projects/default/flags/steady?tab=usage", {
      colorScheme: "dark",
    });
    await choose(page, "Time", "91 days");
    const chart = page.getByRole("slider", { name: "Evaluations in production" });
    await page.getByText("4,095 times on").waitFor();
    await expectAccessible(page);
    await chart.focus();
    await page.keyboard.press("Home");
    expect(await chart.getAttribute("aria-valuetext")).toMatch(/ \(UTC\): On 90, Off 0$/);
    await page.keyboard.press("ArrowRight");
    expect(await chart.getAttribute("aria-valuetext")).toMatch(/: On 89, Off 0$/);
    const today = page.getByRole("slider", { name: "Evaluations in development" });
    expect(await today.getAttribute("aria-valuetext")).toMatch(/: On 5, Off 0$/);
  });

  test("names of applications and variants are shown as text", async () => {
    const name = "<b>web</b>";
    await createFlag(console, "odd-names");
    await report(console, name, "odd-names", { yes: 1, no: 0, variants: { "<i>red</i>": 1 } });
    const page = await console.open("/projects/default/flags/odd-names?tab=usage");
    await choose(page, "Application", name);
    await choose(page, "Group by", "Variants");
    await page.getByText("<i>red</i>").first().waitFor();
  });
});
