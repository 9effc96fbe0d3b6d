import { expect, test } from "vitest";
import { choose, confirm } from "./_actions.ts";
import { clickControl, describeConsole, expectAccessible, SIZES } from "./_console.ts";
import { readFlags, waitForMessage } from "./_flags.ts";
import { createFlag, environmentOf, readStrategies, type } from "./_strategies.ts";

describeConsole("the page of a flag", (console) => {
  const readFlag = async (name: string) =>
    (await readFlags(console, "default")).find((flag) => flag.name === name);

  test.each(SIZES)("edits what all environments share on a %s", async (size) => {
    const name = `edited-${size}`;
    await createFlag(console, name);
    const page = await console.open(`/projects/default/flags/${name}`, { size });
    await page.getByRole("heading", { name, level: 1 }).waitFor();
    await page.getByText("Created just now by").waitFor();
    await expectAccessible(page);

    await page.getByRole("button", { name: "Edit", exact: true }).click();
    const dialog = page.getByRole("dialog", { name: `Edit ${name}` });
    await dialog.getByLabel("Description").fill("The new <b>checkout</b>");
    await choose(dialog, "Type", "Experiment");
    await expectAccessible(page);
    await dialog.getByRole("button", { name: "Save" }).click();
    const saved = await waitForMessage(page, `Saved ${name}`);
    expect(await readFlag(name)).toMatchObject({
      description: "The new <b>checkout</b>",
      type: "experiment",
    });
    await page.getByText("The new <b>checkout</b>").waitFor();
    await saved.getByRole("button", { name: "Undo" }).click();
    await expect.poll(() => readFlag(name)).toMatchObject({ type: "release" });

    await page.getByRole("button", { name: "More actions", exact: true }).click();
    await page.getByRole("menuitem", { name: "Mark as stale" }).click();
    await page.getByText("Stale: can be removed from the code").waitFor();
    expect(await readFlag(name)).toMatchObject({ stale: true });
  });

  test("Undo does not overwrite the change of somebody else", async () => {
    await createFlag(console, "undo-conflict");
    const page = await console.open("/projects/default/flags/undo-conflict", {
      expected: /status of 412/,
    });
    await page.getByRole("button", { name: "Edit", exact: true }).click();
    const dialog = page.getByRole("dialog", { name: "Edit undo-conflict" });
    await dialog.getByLabel("Description").fill("Mine");
    await dialog.getByRole("button", { name: "Save" }).click();
    const saved = await waitForMessage(page, "Saved undo-conflict");
    await console.admin("PUT", "/projects/default/features/undo-conflict", {
      description: "Theirs",
    });
    await saved.getByRole("button", { name: "Undo" }).click();
    await waitForMessage(page, "this was changed in the meantime");
    expect(await readFlag("undo-conflict")).toMatchObject({ description: "Theirs" });
  });

  test("Undo of Save mine anyway restores the change of somebody else", async () => {
    await createFlag(console, "overwritten");
    const page = await console.open("/projects/default/flags/overwritten", {
      expected: /status of 412/,
    });
    await page.getByRole("button", { name: "Edit", exact: true }).click();
    const dialog = page.getByRole("dialog", { name: "Edit overwritten" });
    await dialog.getByLabel("Description").fill("Mine");
    const theirs = { description: "Theirs", type: "experiment", impressionData: true };
    await console.admin("PUT", "/projects/default/features/overwritten", theirs);
    await dialog.getByRole("button", { name: "Save" }).click();
    await dialog.getByRole("button", { name: "Save mine anyway" }).click();
    const saved = await waitForMessage(page, "Saved overwritten");
    expect(await readFlag("overwritten")).toMatchObject({ description: "Mine", type: "release" });
    await saved.getByRole("button", { name: "Undo" }).click();
    await expect.poll(() => readFlag("overwritten")).toMatchObject(theirs);
  });

  test.each(SIZES)("adds and removes tags on a %s", async (size) => {
    const name = `tagged-${size}`;
    await createFlag(console, name);
    const readTags = async () => {
      const list = await console.admin("GET", `/features/${name}/tags`);
      return (list as { readonly tags: readonly { readonly value: string }[] }).tags.map(
        ({ value }) => value,
      );
    };
    const page = await console.open(`/projects/default/flags/${name}`, { size });
    await page.getByRole("button", { name: "Add tag" }).click();
    const dialog = page.getByRole("dialog", { name: "Add a tag" });
    await type(page, dialog.getByRole("combobox", { name: "Tag" }), "billing team");
    await expectAccessible(page);
    await dialog.getByRole("button", { name: "Add tag" }).click();
    const tag = page.getByRole("row", { name: "simple:billing team" });
    await tag.waitFor();
    expect(await readTags()).toEqual(["billing team"]);

    await tag.getByRole("button", { name: "Remove" }).click();
    const removed = await waitForMessage(page, "Removed the tag simple:billing team");
    expect(await readTags()).toEqual([]);
    await removed.getByRole("button", { name: "Undo" }).click();
    await tag.waitFor();
    expect(await readTags()).toEqual(["billing team"]);
  });

  test.each(SIZES)("switches the flag and says what it does on a %s", async (size) => {
    const name = `switched-${size}`;
    await createFlag(
      console,
      name,
      [{ name: "flexibleRollout", parameters: { rollout: 25, stickiness: "userId" } }],
      "production",
    );
    const page = await console.open(`/projects/default/flags/${name}`, { size });
    const production = environmentOf(page, "production");
    await production.getByText("Off for everyone").waitFor();
    await production.getByText("When on, for 25% of users").waitFor();
    await clickControl(production.getByRole("switch"));
    await confirm(page, "This turns the flag on for 25% of users in production.", "Turn on");
    await production.getByText("On for 25% of users").waitFor();
    const message = await waitForMessage(page, `${name} is now on in production`);
    expect((await readFlag(name))?.environments).toMatchObject([
      { name: "development", enabled: false },
      { name: "production", enabled: true },
    ]);
    await message.getByRole("button", { name: "Undo" }).click();
    await production.getByText("Off for everyone").waitFor();

    await clickControl(environmentOf(page).getByRole("switch"));
    await environmentOf(page).getByText("On for everyone").waitFor();
    await expect
      .poll(() => readStrategies(console, name))
      .toMatchObject([{ parameters: { rollout: "100" } }]);
  });

  test.each(SIZES)("copies the flag, and shows the copy, on a %s", async (size) => {
    const [original, copy] = [`original-${size}`, `copy-of-${size}`];
    const parameters = { rollout: "25", stickiness: "userId", groupId: original };
    await createFlag(console, original, [
      { name: "flexibleRollout", title: "First quarter", parameters },
    ]);
    await console.admin(
      "POST",
      `/projects/default/features/${original}/environments/development/on`,
    );
    const page = await console.open(`/projects/default/flags/${original}`, {
      size,
      expected: /status of 409/,
    });
    await page.getByRole("button", { name: "More actions", exact: true }).click();
    await page.getByRole("menuitem", { name: "Copy…" }).click();
    const dialog = page.getByRole("dialog", { name: `Copy ${original}` });
    const name = dialog.getByRole("textbox", { name: "Name" });
    await name.fill(original);
    await dialog.getByRole("button", { name: "Copy flag" }).click();
    await dialog.getByText(`There is already a flag "${original}"`).waitFor();
    await expectAccessible(page);
    await name.fill(copy);
    await dialog.getByRole("button", { name: "Copy flag" }).click();
    await page.getByRole("heading", { name: copy, level: 1 }).waitFor();
    await waitForMessage(page, `Copied ${original}`);
    await environmentOf(page).getByText("First quarter").waitFor();
    expect(new URL(page.url()).pathname).toBe(`/projects/default/flags/${copy}`);
    expect((await readFlag(copy))?.environments).toMatchObject([
      { name: "development", enabled: false },
      { name: "production", enabled: false },
    ]);
    expect(await readStrategies(console, copy)).toMatchObject([
      { title: "First quarter", parameters: { ...parameters, groupId: copy } },
    ]);
  });

  test("archives the flag after a confirmation", async () => {
    await createFlag(console, "archived-flag");
    await console.admin(
      "POST",
      "/projects/default/features/archived-flag/environments/production/on",
    );
    const page = await console.open("/projects/default/flags/archived-flag");
    await page.getByRole("button", { name: "More actions", exact: true }).click();
    await page.getByRole("menuitem", { name: "Archive…" }).click();
    const dialog = page.getByRole("dialog", { name: "Archive archived-flag?" });
    await dialog.getByText("treat it as off").waitFor();
    await dialog.getByText("This turns the flag off for everyone in production.").waitFor();
    await expectAccessible(page);
    await dialog.getByRole("button", { name: "Archive" }).click();
    const message = await waitForMessage(page, "Archived archived-flag");
    expect(new URL(page.url()).pathname).toBe("/projects/default/flags");
    expect(await readFlag("archived-flag")).toBeUndefined();
    // Reviving it would not turn it on again.
    expect(await message.getByRole("button", { name: "Undo" }).count()).toBe(0);
  });

  test("the address contains the open tab", async () => {
    await createFlag(console, "with-tabs");
    const page = await console.open("/projects/default/flags/with-tabs?tab=history");
    await page.getByRole("tab", { name: "History", selected: true }).waitFor();
    await page.getByRole("tab", { name: "Usage" }).click();
    await expect.poll(() => new URL(page.url()).search).toBe("?tab=usage");
    await page.getByRole("tab", { name: "Environments" }).click();
    await environmentOf(page).waitFor();
    expect(new URL(page.url()).search).toBe("");
  });

  test("says which rules have no effect, and why", async () => {
    const plan = { contextName: "plan", operator: "NUM_GT", value: "5" };
    await createFlag(console, "parent-that-is-off");
    await createFlag(console, "without-effect", [
      { name: "default", title: "All" },
      { name: "flexibleRollout", title: "Some", parameters: { rollout: "5" } },
      { name: "default", title: "None", constraints: [plan, { ...plan, operator: "NUM_LT" }] },
    ]);
    await console.admin("POST", "/projects/default/features/without-effect/dependencies", {
      feature: "parent-that-is-off",
    });
    const page = await console.open("/projects/default/flags/without-effect");
    const notesOf = (title: string) =>
      environmentOf(page).getByRole("row").filter({ hasText: title }).locator(".rule-note");
    await notesOf("Some").getByText("another strategy is on for everyone").waitFor();
    await notesOf("None").getByText("“plan is greater than 5” and “plan is less than 5”").waitFor();
    expect(await notesOf("All").count()).toBe(0);
    await environmentOf(page).getByText("have no effect until it is turned on").waitFor();
    await clickControl(environmentOf(page).getByRole("switch"));
    await environmentOf(page)
      .getByText("depends on parent-that-is-off, which is off here.")
      .waitFor();
    await expectAccessible(page);

    await page.getByRole("button", { name: "Edit None" }).click();
    const dialog = page.getByRole("dialog", { name: "Strategy in development" });
    await dialog.getByText("This can never match.").waitFor();
    const second = dialog.getByRole("group", { name: "Constraint 2" });
    await second.getByRole("textbox", { name: "Number" }).fill("9");
    await dialog.getByText("This can never match.").waitFor({ state: "detached" });
    await dialog.getByRole("button", { name: "Save" }).click();
    await notesOf("None").getByText("another strategy is on for everyone").waitFor();
  });

  test("copies the name", async () => {
    await createFlag(console, "copied-name");
    const page = await console.open("/projects/default/flags/copied-name");
    await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    await page.getByRole("button", { name: "Copy the name" }).click();
    await page.getByRole("button", { name: "Copied" }).waitFor();
    expect(await page.evaluate("navigator.clipboard.readText()")).toBe("copied-name");
  });

  test("shows environments from development to production, and addresses as links", async () => {
    for (const [name, type] of [
      ["a-live", "production"],
      ["z-staging", "preproduction"],
    ] as const) {
      await console.admin("POST", "/environments", { name, type, sortOrder: 900 });
    }
    await console.admin("POST", "/projects", { id: "ordered", name: "Ordered" });
    await console.admin("POST", "/projects/ordered/features", {
      name: "in-order",
      description: "See https://tickets.example.com/SHOP-1, not javascript:alert(1).",
    });
    const page = await console.open("/projects/ordered/flags/in-order");
    await page.getByRole("region", { name: "z-staging" }).waitFor();
    const headings = page.getByRole("main").getByRole("heading", { level: 2 });
    expect(await headings.allInnerTexts()).toEqual([
      "development",
      "z-staging",
      "production",
      "a-live",
    ]);
    const links = page.locator(".flag-purpose a");
    expect(await links.evaluateAll((all) => all.map((link) => link.outerHTML))).toEqual([
      '<a href="https://tickets.example.com/SHOP-1" target="_blank" rel="noopener noreferrer">https://tickets.example.com/SHOP-1</a>',
    ]);
    await expectAccessible(page);
  });

  test("shows a viewer everything but changes nothing", async () => {
    await createFlag(console, "viewed", [
      { name: "default", title: "First" },
      { name: "default", title: "Second" },
    ]);
    const page = await console.open("/projects/default/flags/viewed", { role: "viewer" });
    await environmentOf(page).getByText("First").waitFor();
    expect(await environmentOf(page).getByRole("switch").isDisabled()).toBe(true);
    for (const name of [/^Edit/, /^Add/, /^More actions/]) {
      expect(await page.getByRole("main").getByRole("button", { name }).count()).toBe(0);
    }
    await expectAccessible(page);
  });

  test("says that a flag does not exist", async () => {
    const page = await console.open("/projects/default/flags/no-such-flag", {
      expected: /status of 404/,
    });
    await page.getByRole("heading", { level: 1, name: "There is no flag" }).waitFor();
    await page.getByRole("link", { name: "Go to the flags" }).waitFor();
    expect(await page.getByRole("button", { name: "Copy the name" }).count()).toBe(0);
    await expectAccessible(page);
  });

  test("all tabs fit on a phone", async () => {
    await createFlag(console, "fitting-tabs");
    const page = await console.open("/projects/default/flags/fitting-tabs", { size: "phone" });
    const tabs = page.getByRole("tablist");
    await tabs.waitFor();
    const hidden = await tabs.evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth);
    expect(hidden).toBeLessThanOrEqual(0);
  });
});

const APP_ACCESS = { frontendUrl: "https://proxy.test/proxy", frontendKey: "web-key" };

describeConsole(
  "the code for a flag",
  (console) => {
    test.each(SIZES)("shows how programs use the flag on a %s", async (size) => {
      const flag = `used-${size}`;
      const variant = { name: "red", weight: 1000, weightType: "variable", stickiness: "default" };
      await createFlag(console, flag, [
        { name: "flexibleRollout", parameters: { stickiness: "plan" }, variants: [variant] },
      ]);
      const page = await console.open(`/projects/default/flags/${flag}`, { size, role: "viewer" });
      await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
      await page.getByRole("button", { name: "Use in code" }).click();
      const dialog = page.getByRole("dialog", { name: `Use ${flag} in your code` });
      await dialog.getByText(`client.getVariant("${flag}")`).waitFor();
      // Everything that this code needs is configured.
      await dialog.getByText(`url: "${APP_ACCESS.frontendUrl}"`).waitFor();
      await dialog.getByText(`clientKey: "${APP_ACCESS.frontendKey}"`).waitFor();
      await dialog.getByText("Front ends read flags from the proxy. Replace 7 with").waitFor();
      await choose(dialog, "Language or framework", "Python");
      await dialog.getByText("pip install UnleashClient").waitFor();
      await dialog.getByText("The rules of this flag also read plan").waitFor();
      await expectAccessible(page);
      await dialog.getByRole("button", { name: "Copy the code" }).click();
      await dialog.getByRole("button", { name: "Copied" }).waitFor();
      const copied = String(await page.evaluate("navigator.clipboard.readText()"));
      expect(copied).toContain(`url="${console.url}/api"`);
      expect(copied).toContain(`is_on = client.is_enabled("${flag}", context)`);
      // The next flag is shown in the same language.
      await page.reload();
      await page.getByRole("button", { name: "Use in code" }).click();
      await dialog.getByText("pip install UnleashClient").waitFor();
    });
  },
  APP_ACCESS,
);
