import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { choose, confirm } from "./_actions.ts";
import { switchFlag } from "../../admin/test/_flags.ts";
import { BACKEND_TOKEN } from "../../admin/test/_service.ts";
import { clickControl, describeConsole, expectAccessible, SIZES } from "./_console.ts";
import {
  createProject,
  flagsOn,
  readFlags,
  shownFlags,
  switchOf,
  waitForMessage,
} from "./_flags.ts";

describeConsole("the list of flags", (console) => {
  /** Creates a project with four flags, whose names begin with that of the project. */
  const createFlags = async (project: string) => {
    const names = ["banner", "checkout", "export", "search"].map((name) => `${project}-${name}`);
    const [banner = "", checkout = "", exporting = "", search = ""] = names;
    await createProject(console, project, [
      { name: checkout, description: "The new way to pay", type: "release" },
      { name: exporting, type: "permission", tags: [{ type: "simple", value: "billing" }] },
      { name: search, type: "experiment", stale: true },
      { name: banner, description: "Above the way to pay", type: "kill-switch" },
    ]);
    return { names, banner, checkout, exporting, search };
  };

  test.each(SIZES)("shows the flags that match the filter on a %s", async (size) => {
    const { names, banner, checkout, exporting, search } = await createFlags(`filters-${size}`);
    const page = await console.open(`/projects/filters-${size}/flags`, { size });
    await page.getByText("4 flags", { exact: true }).waitFor();
    expect(await shownFlags(page)).toEqual(names);
    await expectAccessible(page);

    for (const [query, matching] of [
      ["CHECK", [checkout]],
      ["pay way", [banner, checkout]],
      ["simple:bill", [exporting]],
      ["nothing like this", []],
      ["", names],
    ] as const) {
      await page.getByRole("searchbox").fill(query);
      await expect.poll(() => shownFlags(page)).toEqual(matching);
    }

    await choose(page, "Type", "Permission");
    await expect.poll(() => shownFlags(page)).toEqual([exporting]);
    await page.getByText("1 of 4 flags").waitFor();
    await choose(page, "State", "Stale");
    await page.getByRole("button", { name: "Show all flags" }).click();
    await expect.poll(() => shownFlags(page)).toEqual(names);
    await choose(page, "Tag", "simple:billing");
    await expect.poll(() => shownFlags(page)).toEqual([exporting]);
    await choose(page, "Tag", "All tags");
    await choose(page, "State", "Stale");
    await expect.poll(() => shownFlags(page)).toEqual([search]);
  });

  test("pressing the heading of a column sorts the list", async () => {
    const { names } = await createFlags("sorting");
    await console.admin("POST", "/projects/sorting/features", { name: "a-later-flag" });
    const page = await console.open("/projects/sorting/flags");
    await page.getByRole("button", { name: "Name" }).click();
    await expect.poll(() => shownFlags(page)).toEqual([...names.toReversed(), "a-later-flag"]);
    const header = page.getByRole("columnheader", { name: "Name" });
    expect(await header.getAttribute("aria-sort")).toBe("descending");

    await page.getByRole("button", { name: "Created" }).click();
    await expect.poll(() => shownFlags(page)).toEqual(["a-later-flag", ...names]);
    expect(await header.getAttribute("aria-sort")).toBe("none");
    await page.getByRole("button", { name: "Created" }).click();
    await expect.poll(() => shownFlags(page)).toEqual([...names, "a-later-flag"]);
  });

  test.each(SIZES)("turns a flag on and off again on a %s", async (size) => {
    const project = `switching-${size}`;
    const { banner, search } = await createFlags(project);
    const page = await console.open(`/projects/${project}/flags`, { size });
    await clickControl(switchOf(page, search));
    const message = await waitForMessage(page, `${search} is now on in development`);
    expect(await flagsOn(console, project)).toEqual([search]);
    expect(await switchOf(page, search).isChecked()).toBe(true);
    await expectAccessible(page);

    await message.getByRole("button", { name: "Undo" }).click();
    await expect.poll(() => flagsOn(console, project)).toEqual([]);
    await expect.poll(() => switchOf(page, search).isChecked()).toBe(false);

    await switchOf(page, banner, "production").focus();
    await page.keyboard.press("Space");
    await confirm(page, "This turns the flag on for everyone in production.", "Turn on");
    await waitForMessage(page, `${banner} is now on in production`);
    expect(await flagsOn(console, project, "production")).toEqual([banner]);
  });

  test.each(SIZES)("changes several flags at once on a %s", async (size) => {
    const project = `bulk-${size}`;
    const { names, banner, checkout, exporting } = await createFlags(project);
    const page = await console.open(`/projects/${project}/flags`, { size });
    for (const name of [exporting, checkout]) {
      await clickControl(page.getByRole("checkbox", { name: `Select ${name}` }));
    }
    const actions = page.getByRole("group", { name: "Selected flags" });
    await actions.getByText("2 flags selected").waitFor();
    await expectAccessible(page);

    await turnOn(page, "Turn on 2 flags in development?");
    await waitForMessage(page, "Turned on 2 flags in development");
    expect(await flagsOn(console, project)).toEqual([checkout, exporting]);

    await markAs(page, "stale");
    await waitForMessage(page, "Marked 2 flags as stale");
    expect((await readFlags(console, project)).map(({ stale }) => stale)).toEqual([
      false,
      true,
      true,
      true,
    ]);

    await actions.getByRole("button", { name: "Change 2 flags" }).click();
    await page.getByRole("menuitem", { name: "Archive…" }).click();
    const dialog = page.getByRole("dialog", { name: "Archive 2 flags?" });
    await dialog.getByRole("listitem").getByText(checkout).waitFor();
    await dialog.getByText("This turns 2 flags off for everyone in development.").waitFor();
    await expectAccessible(page);
    await dialog.getByRole("button", { name: "Archive" }).click();
    const archived = await waitForMessage(page, "Archived 2 flags");
    await expect.poll(() => shownFlags(page)).toEqual([banner, names.at(-1)]);
    expect(await readFlags(console, project)).toHaveLength(2);
    // Reviving them would not turn them on again.
    expect(await archived.getByRole("button", { name: "Undo" }).count()).toBe(0);
  });

  test("Undo changes only the flags that were changed", async () => {
    const { banner, search, names } = await createFlags("undo");
    await switchFlag(console, banner, { project: "undo", on: true });
    const page = await console.open("/projects/undo/flags");
    await clickControl(page.getByRole("checkbox", { name: "Select all flags" }));
    await markAs(page, "stale");
    // One of the four is stale already.
    const marked = await waitForMessage(page, "Marked 3 flags as stale");
    await marked.getByRole("button", { name: "Undo" }).click();
    await expect
      .poll(async () => (await readFlags(console, "undo")).filter(({ stale }) => stale))
      .toMatchObject([{ name: search }]);

    await turnOn(page, "Turn on 3 flags in development?");
    const switched = await waitForMessage(page, "Turned on 3 flags in development");
    expect(await flagsOn(console, "undo")).toEqual(names);
    await switched.getByRole("button", { name: "Undo" }).click();
    await expect.poll(() => flagsOn(console, "undo")).toEqual([banner]);

    await markAs(page, "active");
    await waitForMessage(page, "Marked 1 flag as active");
    expect((await readFlags(console, "undo")).some(({ stale }) => stale)).toBe(false);
    // Nothing is left to change.
    await page.getByRole("button", { name: "Change 4 flags" }).click();
    const marking = page.getByRole("menuitem", { name: "Mark as active" });
    await expect.poll(() => marking.isDisabled()).toBe(true);
    expect(await page.getByRole("menuitem", { name: "Mark as stale" }).isDisabled()).toBe(false);
  });

  test.each(SIZES)("creates a flag on a %s", async (size) => {
    const project = `creating-${size}`;
    await console.admin("POST", "/projects", { id: project, name: project });
    const page = await console.open(`/projects/${project}/flags`, { size });
    await page.getByRole("button", { name: "Create the first flag" }).click();
    const dialog = page.getByRole("dialog", { name: "New flag" });
    await dialog.getByLabel("Name").fill("grüße");
    await dialog.getByRole("button", { name: "Create flag" }).click();
    await dialog.getByText("Use only letters without accents").waitFor();
    await expectAccessible(page);

    await dialog.getByLabel("Name").fill(`dark-mode-${size}`);
    await choose(page, "Type", "Experiment");
    await dialog.getByLabel("Description").fill("Colours for the night");
    await dialog.getByRole("button", { name: "Create flag" }).click();
    await page.waitForURL(`**/projects/${project}/flags/dark-mode-${size}`);
    expect(await readFlags(console, project)).toMatchObject([
      { name: `dark-mode-${size}`, type: "experiment", description: "Colours for the night" },
    ]);
  });

  test("guides through the first steps, until an application uses a flag", async () => {
    const project = "first-steps";
    await console.admin("POST", "/projects", { id: project, name: project });
    const page = await console.open(`/projects/${project}/flags`);
    const steps = page.getByRole("region", {
      name: /^This project has no flags yet$|^First steps$/,
    });
    await expect.poll(() => steps.getByRole("listitem").count()).toBe(3);
    const done = () => steps.locator("li", { hasText: "(done)" }).locator("strong").allInnerTexts();
    expect(await done()).toEqual([]);
    await console.admin("POST", `/projects/${project}/features`, { name: "first-flag" });
    await expect.poll(done).toEqual([expect.stringContaining("Create a flag")]);
    await steps.getByRole("link", { name: "Open first-flag" }).waitFor();
    await expectAccessible(page);
    const environment = `/projects/${project}/features/first-flag/environments/development`;
    await console.admin("POST", `${environment}/strategies`, { name: "default" });
    await console.admin("POST", `${environment}/on`);
    await expect.poll(done).toHaveLength(2);
    const now = Date.now();
    const response = await console.request("/api/client/metrics", {
      method: "POST",
      token: BACKEND_TOKEN,
      body: {
        appName: "web",
        instanceId: "1",
        bucket: {
          start: new Date(now - 60_000).toISOString(),
          stop: new Date(now).toISOString(),
          toggles: { "first-flag": { yes: 1, no: 0 } },
        },
      },
    });
    expect(response.status).toBe(202);
    await expect
      .poll(async () => {
        await page.reload();
        await page.getByRole("switch").first().waitFor();
        return steps.count();
      })
      .toBe(0);
  });

  test("a name that is taken keeps the dialog open and explains the problem", async () => {
    const { search } = await createFlags("taken");
    const page = await console.open("/projects/taken/flags", { expected: /status of 409/ });
    await page.getByRole("button", { name: "New flag" }).click();
    const dialog = page.getByRole("dialog", { name: "New flag" });
    await dialog.getByLabel("Name").fill(search);
    await page.keyboard.press("Enter");
    await dialog.getByRole("alert").getByText(search).waitFor();
    expect(await dialog.getByLabel("Name").inputValue()).toBe(search);
  });

  test("viewers can change nothing", async () => {
    const { search } = await createFlags("viewing");
    const page = await console.open("/projects/viewing/flags", { role: "viewer" });
    await switchOf(page, search).waitFor();
    expect(await switchOf(page, search).isDisabled()).toBe(true);
    expect(await page.getByRole("checkbox", { name: `Select ${search}` }).isDisabled()).toBe(true);
    expect(await page.getByRole("button", { name: "New flag" }).count()).toBe(0);
    await expectAccessible(page);
  });
});

/** Marks the selected flags. */
async function markAs(page: Page, state: "stale" | "active"): Promise<void> {
  await page.getByRole("button", { name: /^Change \d flags$/ }).click();
  await page.getByRole("menuitem", { name: `Mark as ${state}` }).click();
}

/** Turns the selected flags on in development, and confirms the dialog with the title. */
async function turnOn(page: Page, title: string): Promise<void> {
  await page.getByRole("button", { name: /^Change \d flags$/ }).click();
  const development = page.getByRole("group", { name: "development" });
  await development.getByRole("menuitem", { name: "Turn on" }).click();
  const dialog = page.getByRole("dialog", { name: title });
  await dialog.getByText(/^This turns \d flags on for everyone in development\.$/).waitFor();
  await expectAccessible(page);
  await dialog.getByRole("button", { name: "Turn on" }).click();
  await dialog.waitFor({ state: "detached" });
}
