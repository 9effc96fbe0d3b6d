import type { Route } from "playwright-core";
import { expect, test } from "vitest";
import { choose, field, rowNames, runAction } from "./_actions.ts";
import { clickControl, describeConsole, expectAccessible, SIZES } from "./_console.ts";
import { createProject, waitForMessage } from "./_flags.ts";

interface Listed {
  readonly id: string;
  readonly name: string;
  readonly environments: readonly string[];
}

describeConsole("projects and environments", (console) => {
  const readProject = async (id: string): Promise<Listed | undefined> => {
    const { projects } = (await console.admin("GET", "/projects")) as {
      readonly projects: readonly Listed[];
    };
    return projects.find((project) => project.id === id);
  };

  test.each(SIZES)("projects are created, archived and revived on a %s", async (size) => {
    const id = `mobile-app-${size}`;
    const name = `Mobile App ${size}`;
    const page = await console.open("/projects", { size });
    await page.getByRole("table", { name: "Projects" }).waitFor();
    await expectAccessible(page);
    await page.getByRole("button", { name: "New project" }).click();
    const form = page.getByRole("dialog", { name: "New project" });
    await field(form, "Name").fill(name);
    expect(await field(form, "Id").inputValue()).toBe(id);
    await clickControl(form.getByRole("checkbox", { name: "production" }));
    await expectAccessible(page);
    await form.getByRole("button", { name: "Create project" }).click();
    await page.waitForURL(`**/projects/${id}/flags`);
    expect((await readProject(id))?.environments).not.toContain("production");

    await page.goto(`${console.url}/projects`);
    await runAction(page, name, "Archive");
    const dialog = page.getByRole("dialog", { name: `Archive ${name}?` });
    await expectAccessible(page);
    await dialog.getByRole("button", { name: "Archive" }).click();
    await waitForMessage(page, `Archived ${name}`);
    expect(await readProject(id)).toBeUndefined();
    await page.getByRole("tab", { name: "Archived" }).click();
    await runAction(page, name, "Revive");
    await waitForMessage(page, `Revived ${name}`);
    expect(await readProject(id)).toBeDefined();
  });

  test("a project with flags cannot be archived", async () => {
    await createProject(console, "busy", [{ name: "busy-flag" }]);
    const page = await console.open("/projects/busy/settings");
    await page.getByRole("button", { name: "Archive Project busy" }).click();
    await page.getByRole("dialog", { name: "Project busy cannot be archived yet" }).waitFor();
    await page.getByText("It has 1 flag.").waitFor();
    await expectAccessible(page);
  });

  test("a project is archived in its settings", async () => {
    await createProject(console, "finished", []);
    const page = await console.open("/projects/finished/settings");
    await page.getByRole("button", { name: "Archive Project finished" }).click();
    const dialog = page.getByRole("dialog", { name: "Archive Project finished?" });
    await dialog.getByRole("button", { name: "Archive" }).click();
    await waitForMessage(page, "Archived Project finished");
    await page.waitForURL("**/projects");
    expect(await readProject("finished")).toBeUndefined();
  });

  test.each(SIZES)("a project that does not exist is not shown as empty on a %s", async (size) => {
    const page = await console.open("/projects/misspelt/flags", {
      size,
      expected: /status of 404/,
    });
    await page.getByRole("heading", { name: "There is no project “misspelt”" }).waitFor();
    expect(await page.getByRole("button", { name: "New flag" }).count()).toBe(0);
    await expectAccessible(page);
    await page.getByRole("link", { name: "Go to the projects" }).click();
    await page.getByRole("table", { name: "Projects" }).waitFor();
    const flags = page.getByRole("link", { name: "Flags", exact: true, includeHidden: true });
    expect(await flags.getAttribute("href")).not.toContain("misspelt");
  });

  test.each(SIZES)("the settings of a project are changed on a %s", async (size) => {
    const id = `settings-${size}`;
    const strategies = [{ name: "default" }];
    const environments = [{ name: "production", enabled: true, strategies }];
    await createProject(console, id, [{ name: `${id}-flag`, environments }]);
    const page = await console.open(`/projects/${id}/settings`, { size });
    await field(page, "Name").fill(`Renamed ${size}`);
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await waitForMessage(page, `Saved Renamed ${size}`);
    expect((await readProject(id))?.name).toBe(`Renamed ${size}`);
    await expectAccessible(page);

    await page.getByRole("button", { name: "Remove production" }).click();
    const dialog = page.getByRole("dialog", { name: `Remove production from Renamed ${size}?` });
    await dialog.getByText("Now 1 flag is on there, and 1 has strategies.").waitFor();
    await expectAccessible(page);
    await field(dialog, "Type production to confirm").fill("production");
    await dialog.getByRole("button", { name: "Remove" }).click();
    await page.getByRole("button", { name: "Add production" }).waitFor();
    expect((await readProject(id))?.environments).not.toContain("production");
    await page.getByRole("button", { name: "Add production" }).click();
    await waitForMessage(page, "Added production");
    expect((await readProject(id))?.environments).toContain("production");

    await page.getByRole("button", { name: "New token for this project" }).click();
    const form = page.getByRole("dialog", { name: "New API token" });
    await field(form, "Name").fill(`Token of ${id}`);
    await choose(form, "Environment", "development");
    await form.getByRole("button", { name: "Create token" }).click();
    await page.getByText(`FLAGS_API_TOKEN=${id}:development.`).waitFor();
    await page.getByRole("button", { name: "Done" }).click();
    await expect.poll(() => rowNames(page, "API tokens")).toEqual([`Token of ${id}`]);
  });

  test("the settings of a project with a long id fit on a phone", async () => {
    const id = "x".repeat(100);
    await createProject(console, id, []);
    const page = await console.open(`/projects/${id}/settings`, { size: "phone" });
    await page.getByText(`Project id: ${id}`).waitFor();
    const overflow = await page.evaluate(
      () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
    );
    expect(overflow).toBe(0);
  });

  test.each(["Load the new version", "Save mine anyway"])(
    "the settings keep what was typed when somebody else changes them: %s",
    async (choice) => {
      const id = `contested-${choice.split(" ")[0]?.toLowerCase() ?? ""}`;
      await createProject(console, id, []);
      const page = await console.open(`/projects/${id}/settings`, { expected: /status of 412/ });
      const description = field(page, "Description");
      await description.waitFor();
      await console.admin("PUT", `/projects/${id}`, { description: "first" });
      await expect.poll(() => description.inputValue()).toBe("first");

      await description.fill("mine");
      await console.admin("PUT", `/projects/${id}`, { name: `New ${id}`, description: "theirs" });
      await page.getByText(`tokens of the project New ${id}.`).waitFor();
      expect(await description.inputValue()).toBe("mine");
      const save = page.getByRole("button", { name: "Save", exact: true });
      await save.click();
      await page.getByRole("alert").getByText("changed in the meantime").waitFor();
      expect(await readProject(id)).toMatchObject({ description: "theirs" });
      await expectAccessible(page);

      await page.getByRole("button", { name: choice }).click();
      if (choice === "Save mine anyway") {
        await waitForMessage(page, `Saved Project ${id}`);
        expect(await readProject(id)).toMatchObject({ description: "mine" });
      } else {
        await expect.poll(() => description.inputValue()).toBe("theirs");
        expect(await field(page, "Name").inputValue()).toBe(`New ${id}`);
      }
      await page.getByRole("alert").waitFor({ state: "detached" });
      expect(await save.isDisabled()).toBe(true);
    },
  );

  test("removing an environment has to be confirmed by typing until its flags are counted", async () => {
    await createProject(console, "uncounted", []);
    const page = await console.open("/projects/uncounted/settings");
    const counting = new Promise<Route>((resolve) => {
      void page.route("**/projects/uncounted/features*", resolve);
    });
    await page.getByRole("button", { name: "Remove production" }).click();
    const dialog = page.getByRole("dialog", { name: /^Remove production/ });
    const remove = dialog.getByRole("button", { name: "Remove" });
    await field(dialog, "Type production to confirm").waitFor();
    expect(await remove.isDisabled()).toBe(true);
    await expectAccessible(page);

    await (await counting).continue();
    await dialog.getByText("Now 0 flags are on there, and 0 have strategies.").waitFor();
    await remove.click();
    await page.getByRole("button", { name: "Add production" }).waitFor();
  });

  test.each(SIZES)("environments are created and offered to new projects on a %s", async (size) => {
    const name = `staging-${size}`;
    const page = await console.open("/environments", { size });
    await page.getByRole("button", { name: "New environment" }).click();
    const form = page.getByRole("dialog", { name: "New environment" });
    await field(form, "Name").fill(name);
    await form.getByRole("combobox", { name: "Type" }).fill("preproduction");
    await page.keyboard.press("Escape");
    await form.getByRole("button", { name: "Position" }).click();
    // The last option is "After production".
    await page
      .getByRole("option", { name: /^After/ })
      .nth(-2)
      .click();
    await expectAccessible(page);
    await form.getByRole("button", { name: "Create environment" }).click();
    await waitForMessage(page, `Created ${name}`);
    await expect
      .poll(async () => (await rowNames(page, "Environments")).slice(-2))
      .toEqual([name, "production"]);
    await clickControl(page.getByRole("switch", { name: `Add ${name} to new projects` }));
    await waitForMessage(page, `New projects no longer contain ${name}`);
    expect(await console.admin("GET", `/environments/${name}`)).toMatchObject({
      type: "preproduction",
      enabled: false,
    });
    await expectAccessible(page);

    await runAction(page, "development", "Show its projects");
    const dialog = page.getByRole("dialog", { name: "Projects with development" });
    await dialog.getByRole("link", { name: "Default" }).waitFor();
    await expectAccessible(page);
  });

  test.each(SIZES)("environments are edited, cloned and deleted on a %s", async (size) => {
    const name = `first-${size}`;
    const page = await console.open("/environments", { size });
    const submit = (dialog: string, button: string) =>
      page.getByRole("dialog", { name: dialog }).getByRole("button", { name: button }).click();

    await runAction(page, "development", "Clone");
    const clone = page.getByRole("dialog", { name: "Clone development" });
    await field(clone, "Name").fill(name);
    await expectAccessible(page);
    await submit("Clone development", "Clone environment");
    await waitForMessage(page, `Created ${name} as a copy of development`);

    await runAction(page, name, "Edit");
    const edit = page.getByRole("dialog", { name: `Edit ${name}` });
    await edit.getByRole("combobox", { name: "Type" }).fill("test");
    await page.keyboard.press("Escape");
    await choose(edit, "Position", "First");
    await expectAccessible(page);
    await submit(`Edit ${name}`, "Save");
    await waitForMessage(page, `Changed ${name}`);
    await expect.poll(async () => (await rowNames(page, "Environments"))[0]).toBe(name);
    expect(await console.admin("GET", `/environments/${name}`)).toMatchObject({ type: "test" });

    await runAction(page, name, "Delete");
    await page.getByRole("dialog", { name: `${name} cannot be deleted yet` }).waitFor();
    await expectAccessible(page);
    await page.keyboard.press("Escape");
    const { projects } = (await console.admin("GET", "/projects")) as {
      readonly projects: readonly Listed[];
    };
    for (const { id, environments } of projects) {
      if (!environments.includes(name)) continue;
      // oxlint-disable-next-line no-await-in-loop -- changes run one at a time
      await console.admin("DELETE", `/projects/${id}/environments/${name}`);
    }
    await page.getByRole("row", { name: new RegExp(`${name}.*0 projects`) }).waitFor();
    await runAction(page, name, "Delete");
    await expectAccessible(page);
    await submit(`Delete the environment ${name}?`, "Delete");
    await waitForMessage(page, `Deleted the environment ${name}`);
    await expect.poll(() => rowNames(page, "Environments")).not.toContain(name);
  });

  test("an archived project can be deleted", async () => {
    await console.admin("POST", "/projects", { id: "doomed", name: "Doomed" });
    await console.admin("POST", "/projects/archive/doomed");
    const page = await console.open("/projects");
    await page.getByRole("tab", { name: "Archived" }).click();
    await runAction(page, "Doomed", "Delete");
    const dialog = page.getByRole("dialog", { name: "Delete the project Doomed?" });
    const submit = dialog.getByRole("button", { name: "Delete" });
    expect(await submit.isDisabled()).toBe(true);
    await field(dialog, "Type doomed to confirm").fill("doomed");
    await expectAccessible(page);
    await submit.click();
    await waitForMessage(page, "Deleted the project Doomed");
    await expect.poll(() => page.getByText("Doomed", { exact: true }).count()).toBe(0);
  });

  test("editors read projects and environments, but cannot change them", async () => {
    const page = await console.open("/projects/default/settings", { role: "editor" });
    await page.getByRole("heading", { name: "Environments" }).waitFor();
    expect(await field(page, "Name").isDisabled()).toBe(true);
    const buttons = page.getByRole("main").getByRole("button");
    // Editors may change the context fields of the project.
    await page.getByRole("button", { name: "New context field for this project" }).waitFor();
    const changing = buttons.filter({ hasText: /^(Remove|Add|New (?!context)|Save|Archive)/ });
    expect(await changing.count()).toBe(0);
    await page.goto(`${console.url}/environments`);
    await page.getByRole("table", { name: "Environments" }).waitFor();
    const offered = page.getByRole("switch", { name: "Add development to new projects" });
    expect(await offered.isDisabled()).toBe(true);
    expect(await page.getByRole("button", { name: "New environment" }).count()).toBe(0);
  });
});
