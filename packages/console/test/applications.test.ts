import { expect, test } from "vitest";
import { createFlag } from "../../admin/test/_flags.ts";
import { BACKEND_TOKEN } from "../../admin/test/_service.ts";
import { type Console, describeConsole, expectAccessible, SIZES } from "./_console.ts";

async function register(console: Console, appName: string, instanceId: string): Promise<void> {
  const response = await console.request("/api/client/register", {
    method: "POST",
    token: BACKEND_TOKEN,
    body: {
      appName,
      instanceId,
      sdkVersion: "unleash-client-node:6.1.0",
      strategies: ["default", "flexibleRollout", "lunar"],
      started: new Date().toISOString(),
      interval: 10_000,
    },
  });
  expect(response.status).toBe(202);
}

async function report(console: Console, appName: string, flags: readonly string[]) {
  const now = new Date().toISOString();
  const toggles = Object.fromEntries(flags.map((name) => [name, { yes: 1, no: 0 }]));
  const response = await console.request("/api/client/metrics", {
    method: "POST",
    token: BACKEND_TOKEN,
    body: { appName, instanceId: "one", bucket: { start: now, stop: now, toggles } },
  });
  expect(response.status).toBe(202);
}

describeConsole("the applications", (console) => {
  test("the page explains applications before there are any", async () => {
    const page = await console.open("/applications");
    await page.getByRole("heading", { name: "No application has registered yet" }).waitFor();
    await expectAccessible(page);
  });

  test.each(SIZES)("applications are listed with what they use on a %s", async (size) => {
    const name = `shop & co/${size}`;
    await createFlag(console, `used-${size}`);
    await register(console, name, "one");
    await register(console, name, "two");
    await register(console, `other-${size}`, "one");
    await report(console, name, [`used-${size}`]);

    const page = await console.open("/applications", { size });
    await page.getByRole("link", { name: `other-${size}` }).waitFor();
    await expectAccessible(page);
    await page.getByRole("searchbox").fill("SHOP");
    await page.getByRole("link", { name: `other-${size}` }).waitFor({ state: "detached" });
    await page.getByRole("link", { name }).click();

    await page.getByRole("heading", { level: 1, name }).waitFor();
    const development = page.getByRole("region", { name: "development" });
    await development.getByText("2 instances").waitFor();
    await development.getByText("one", { exact: true }).waitFor();
    await page.getByText("Create it with POST /api/admin/strategies.").waitFor();
    await expectAccessible(page);
    const flags = page.getByRole("region", { name: "Flags" });
    const link = flags.getByRole("link", { name: `used-${size}` });
    expect(await link.getAttribute("href")).toBe(`/projects/default/flags/used-${size}?tab=usage`);

    await page.getByRole("button", { name: "Remove" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByText("If it still runs, it reappears").waitFor();
    await expectAccessible(page);
    await dialog.getByRole("button", { name: "Remove" }).click();
    await page.getByRole("heading", { level: 1, name: "Applications" }).waitFor();
    const { applications } = (await console.admin("GET", "/metrics/applications")) as {
      applications: { appName: string }[];
    };
    expect(applications.map(({ appName }) => appName)).not.toContain(name);
  });

  test("the pages say which flags do not exist, and which of them are archived", async () => {
    await createFlag(console, "retired");
    await createFlag(console, "in-use");
    await console.admin("POST", "/projects/default/archive", { features: ["retired"] });
    await register(console, "legacy", "one");
    await report(console, "legacy", ["retired", "chekout", "in-use"]);
    const page = await console.open("/applications?query=legacy");
    await page
      .getByText("asks for 2 flags that do not exist: chekout, retired (archived)")
      .waitFor();
    await expectAccessible(page);
    await page.getByRole("link", { name: "legacy" }).click();
    const flags = page.getByRole("region", { name: "Flags" });
    await flags.getByText("It asks for 2 flags that do not exist").waitFor();
    const entries = await flags.getByRole("listitem").allInnerTexts();
    expect(entries.map((text) => text.replaceAll(/\s+/g, " "))).toEqual([
      "chekout does not exist",
      expect.stringMatching(/^retired default · Release archived /),
      "in-use default · Release",
    ]);
    await expectAccessible(page);
    await flags.getByRole("link", { name: "retired" }).click();
    await page.getByRole("heading", { level: 1, name: /retired/ }).waitFor();
  });

  test("viewers cannot remove applications", async () => {
    await register(console, "read-only", "one");
    const page = await console.open("/applications/read-only", { role: "viewer" });
    await page.getByRole("region", { name: "development" }).waitFor();
    expect(await page.getByRole("button", { name: "Remove" }).count()).toBe(0);
  });

  test("the page of an unknown application explains the problem", async () => {
    const page = await console.open("/applications/nobody", { expected: /status of 404/ });
    await page.getByText("No application with this name has registered").waitFor();
  });
});
