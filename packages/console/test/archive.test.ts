import { expect, test } from "vitest";
import { field, rowNames, runAction } from "./_actions.ts";
import { clickControl, describeConsole, expectAccessible, SIZES } from "./_console.ts";
import { createProject, flagsOn, readFlags, waitForMessage } from "./_flags.ts";

const ENVIRONMENTS = [
  { name: "development", enabled: true, strategies: [{ name: "default" }] },
] as const;

describeConsole("the archive", (console) => {
  /** Creates a project with an active flag and archived ones, whose names begin with that of the project. */
  const archiveFlags = async (project: string) => {
    const [active = "", ...archived] = ["active", "old", "older", "oldest"].map(
      (name) => `${project}-${name}`,
    );
    await createProject(
      console,
      project,
      [active, ...archived].map((name) => ({ name, environments: ENVIRONMENTS })),
    );
    await console.admin("POST", `/projects/${project}/archive`, { features: archived });
    return { active, archived };
  };

  test("opens archived flags, which nobody can change before they are revived", async () => {
    const { archived } = await archiveFlags("opened");
    const [old = ""] = archived;
    const page = await console.open("/projects/opened/archive");
    await page.getByRole("link", { name: old, exact: true }).click();
    await page.getByText("Applications treat it as off").waitFor();
    const card = page.getByRole("region", { name: "development" });
    await card.getByText("Off for everyone").waitFor();
    expect(await card.getByRole("switch").isDisabled()).toBe(true);
    for (const name of [/^Edit/, /^Add/, /^More actions/]) {
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      expect(await page.getByRole("main").getByRole("button", { name }).count()).toBe(0);
    }
    expect(await page.getByRole("tab", { name: "Explain" }).count()).toBe(0);
    await expectAccessible(page);
    await page.reload();
    await page.getByRole("link", { name: "Archive", exact: true }).last().waitFor();

    await page.getByRole("button", { name: "Revive" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Revive" }).click();
    await page.getByRole("button", { name: "Add strategy" }).first().waitFor();
    expect((await readFlags(console, "opened")).map(({ name }) => name)).toContain(old);
  });

  test("a search without a result mentions other projects and archives", async () => {
    const { active, archived } = await archiveFlags("elsewhere");
    const [old = ""] = archived;
    await console.admin("POST", "/projects/default/features", { name: "somewhere-else" });
    const page = await console.open(`/projects/default/flags?query=${active}`);
    const hits = page.locator(".other-hits");
    await hits.getByRole("link", { name: active, exact: true }).waitFor();
    await expectAccessible(page);
    await page.getByRole("searchbox").fill(old);
    await hits.getByText(`${old} in the archive of Project elsewhere`).waitFor();
    await hits.getByRole("link", { name: old, exact: true }).click();
    await page.getByText("Applications treat it as off").waitFor();
  });

  test.each(SIZES)("revives several flags, which are then off, on a %s", async (size) => {
    const project = `revive-${size}`;
    const { active, archived } = await archiveFlags(project);
    const [old = "", older = "", oldest = ""] = archived;
    const page = await console.open(`/projects/${project}/archive`, { size });
    await page.getByText("3 archived flags").waitFor();
    expect(await rowNames(page, "Archived flags")).toEqual(archived);
    await expectAccessible(page);

    await page.getByRole("searchbox").fill("older");
    await expect.poll(() => rowNames(page, "Archived flags")).toEqual([older]);
    await page.getByRole("searchbox").fill("old");
    for (const name of [old, oldest]) {
      await clickControl(page.getByRole("checkbox", { name: `Select ${name}`, exact: true }));
    }
    const actions = page.getByRole("group", { name: "Selected flags" });
    await actions.getByText("2 flags selected").waitFor();
    await actions.getByRole("button", { name: "Revive" }).click();
    const dialog = page.getByRole("dialog", { name: "Revive 2 flags?" });
    await dialog.getByText("off in every environment").waitFor();
    await expectAccessible(page);
    await dialog.getByRole("button", { name: "Revive" }).click();

    const message = await waitForMessage(page, "Revived 2 flags");
    await expect.poll(() => rowNames(page, "Archived flags")).toEqual([older]);
    expect((await readFlags(console, project)).map(({ name }) => name)).toEqual([
      active,
      old,
      oldest,
    ]);
    expect(await flagsOn(console, project)).toEqual([active]);

    await message.getByRole("button", { name: "Undo" }).click();
    await expect.poll(() => rowNames(page, "Archived flags")).toEqual(archived);
  });

  test.each(SIZES)("deletes flags only after a typed confirmation on a %s", async (size) => {
    const project = `delete-${size}`;
    const { archived } = await archiveFlags(project);
    const [old = "", older = ""] = archived;
    const page = await console.open(`/projects/${project}/archive`, { size });
    await runAction(page, old, "Delete permanently");
    const one = page.getByRole("dialog", { name: `Delete ${old} permanently?` });
    expect(await one.getByRole("button", { name: "Delete permanently" }).isDisabled()).toBe(true);
    await field(one, `Type ${old} to confirm`).fill(older);
    expect(await one.getByRole("button", { name: "Delete permanently" }).isDisabled()).toBe(true);
    await expectAccessible(page);
    await field(one, `Type ${old} to confirm`).fill(old);
    await one.getByRole("button", { name: "Delete permanently" }).click();
    await waitForMessage(page, `Deleted ${old} permanently`);

    await clickControl(page.getByRole("checkbox", { name: "Select all flags" }));
    await page.getByRole("button", { name: "Delete permanently" }).click();
    const several = page.getByRole("dialog", { name: "Delete 2 flags permanently?" });
    await field(several, "Type 2 to confirm").fill("2");
    await several.getByRole("button", { name: "Delete permanently" }).click();
    await page.getByRole("heading", { name: "The archive is empty" }).waitFor();
    expect(await console.admin("GET", `/archive/features/${project}`)).toMatchObject({
      features: [],
    });
    await expectAccessible(page);
  });

  test("editors revive flags but cannot delete them, and viewers only read", async () => {
    const { archived } = await archiveFlags("roles");
    const [old = ""] = archived;
    const editor = await console.open("/projects/roles/archive", { role: "editor" });
    await editor.getByRole("button", { name: `Actions for ${old}`, exact: true }).click();
    await editor.getByRole("menuitem", { name: "Revive" }).waitFor();
    expect(await editor.getByRole("menuitem").allTextContents()).toEqual(["Revive"]);

    const viewer = await console.open("/projects/roles/archive", { role: "viewer" });
    await viewer.getByText("3 archived flags").waitFor();
    expect(await viewer.getByRole("button", { name: /^Actions for/ }).count()).toBe(0);
    expect(await viewer.getByRole("checkbox").count()).toBe(0);
  });
});
