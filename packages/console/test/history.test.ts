import { readFileSync } from "node:fs";
import { sql } from "drizzle-orm";
import { expect, test } from "vitest";
import { choose } from "./_actions.ts";
import { createFlag, switchFlag } from "../../admin/test/_flags.ts";
import { describeConsole, expectAccessible, SIZES } from "./_console.ts";

interface Found {
  readonly events: readonly { readonly type: string; readonly createdBy: string }[];
  readonly total: number;
}

describeConsole("the recorded changes", (console) => {
  test.each(SIZES)("changes of a flag are sentences with differences on a %s", async (size) => {
    const name = `changed-${size}`;
    await createFlag(console, name, { strategies: [] });
    const found = (await console.admin("GET", `/search/events?feature=IS:${name}`)) as Found;
    const author = found.events[0]?.createdBy ?? "";

    const page = await console.open(`/projects/default/flags/${name}?tab=history`, { size });
    await page.getByText(`${author} turned on ${name} in development`).waitFor();
    await page.getByText(`${author} created the flag ${name}`).waitFor();
    expect(await page.locator(".event").count()).toBe(found.total);
    await expectAccessible(page);

    // A change by somebody else appears without a reload.
    await console.admin("PUT", `/projects/default/features/${name}`, {
      name,
      type: "experiment",
      description: "<b>Which</b> one?",
    });
    const entry = page.locator(".event", { hasText: `changed the settings of ${name}` });
    await entry.getByRole("button", { name: "Details" }).click();
    const rows = entry.getByRole("row");
    expect(await rows.allInnerTexts()).toEqual([
      expect.stringMatching(/^Field\s+Before\s+After$/),
      expect.stringMatching(/^type\s+release\s+experiment$/),
      expect.stringMatching(/^description\s+nothing\s+<b>Which<\/b> one\?$/),
    ]);
    await entry.getByRole("button", { name: "Show everything as JSON" }).click();
    await entry.getByText('"type": "feature-metadata-updated"').waitFor();
    await expectAccessible(page);

    await choose(page.getByRole("main"), "Change", "Flag turned on");
    await page.getByText("1 change", { exact: true }).waitFor();
    await choose(page.getByRole("main"), "Change", "All changes");
    await page.getByRole("combobox", { name: "By" }).fill("nobody");
    await page.getByText("No changes found").waitFor();
    await page.getByRole("combobox", { name: "By" }).fill("");
    await page.keyboard.press("Escape");
    await page.getByRole("searchbox").fill("Which");
    await page.getByText("1 change", { exact: true }).waitFor();
  });

  test.each(SIZES)(
    "all changes can be filtered, and are loaded page by page, on a %s",
    async (size) => {
      const project = `busy-${size}`;
      await console.admin("POST", "/projects", { id: project, name: `Project ${project}` });
      const name = `${project}-flag`;
      await createFlag(console, name, { project });
      for (let index = 0; index < 30; index += 1) {
        // oxlint-disable-next-line no-await-in-loop -- in this order
        await switchFlag(console, name, { project, on: false });
        // oxlint-disable-next-line no-await-in-loop -- in this order
        await switchFlag(console, name, { project, on: true });
      }
      const { total } = (await console.admin(
        "GET",
        `/search/events?project=IS:${project}&limit=1`,
      )) as Found;
      const page = await console.open("/events", { size });
      await choose(page.getByRole("main"), "Project", `Project ${project}`);
      await page.getByText(`${total} changes`, { exact: true }).waitFor();
      expect(await page.locator(".event").count()).toBe(50);
      await expectAccessible(page);
      await page.getByRole("button", { name: "Load more" }).click();
      await expect.poll(() => page.locator(".event").count()).toBe(total);
      expect(await page.getByRole("button", { name: "Load more" }).count()).toBe(0);

      await choose(page.getByRole("main"), "Change", "Project created");
      await page.getByText("1 change", { exact: true }).waitFor();
      await choose(page.getByRole("main"), "Change", "All changes");
      await choose(page.getByRole("main"), "Project", "All projects");
      await page.getByRole("combobox", { name: "Flag" }).fill(`${project}-fl`);
      await page.getByRole("option", { name, exact: true }).waitFor();
      await page.keyboard.press("ArrowDown");
      await page.keyboard.press("Enter");
      await page.getByText(`${total - 1} changes`, { exact: true }).waitFor();
      const link = page.locator(".event").first().getByRole("link", { name });
      expect(await link.getAttribute("href")).toBe(`/projects/${project}/flags/${name}`);
    },
  );

  test("a change of thousands of values shows the first ones", async () => {
    const valuesOf = (prefix: string) =>
      Array.from({ length: 10_000 }, (_, index) => ({ value: `${prefix}${index}` }));
    await console.admin("POST", "/context", { name: "plan", legalValues: valuesOf("a") });
    await console.admin("PUT", "/context/plan", { legalValues: valuesOf("b") });
    const page = await console.open("/events");
    const entry = page.locator(".event", { hasText: "changed the context field plan" });
    await entry.getByRole("button", { name: "Details" }).click();
    await entry.getByText("The JSON contains 19,900 more changes").waitFor();
    expect(await entry.getByRole("row").count()).toBe(101);
    await expectAccessible(page);
  });

  test("changes can be restricted to days, in the address of the page, and exported", async () => {
    await createFlag(console, "dated");
    await console.storage.db.execute(sql`
      update events set created_at = timestamptz '2026-01-31 12:00Z'
      where feature_name = 'dated' and type = 'feature-created'`);
    const page = await console.open("/events?feature=dated&from=2026-01-31");
    await page.getByText("created the flag dated").waitFor();
    await page.getByLabel("To (UTC)").fill("2026-01-31");
    await page.getByText("1 change", { exact: true }).waitFor();
    expect(new URL(page.url()).searchParams.get("to")).toBe("2026-01-31");
    await expectAccessible(page);
    const download = page.waitForEvent("download");
    await page.getByRole("link", { name: "CSV" }).click();
    const file = await download;
    expect(file.suggestedFilename()).toMatch(/^events-.*\.csv$/);
    const lines = readFileSync(await file.path(), "utf8")
      .trimEnd()
      .split("\r\n");
    expect(lines).toHaveLength(2);
    expect(lines[1]).toContain('"2026-01-31T12:00:00.000Z","feature-created"');
    const json = await page.getByRole("link", { name: "JSON" }).getAttribute("href");
    const found = (await console.admin("GET", json?.replace("api/admin", "") ?? "")) as Found;
    expect(found).toMatchObject({ total: 1, events: [{ type: "feature-created" }] });
    await page.getByLabel("To (UTC)").fill("2026-01-30");
    await page.getByText("No changes found").waitFor();
  });
});
