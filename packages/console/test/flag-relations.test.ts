import { expect, test } from "vitest";
import { choose, confirm } from "./_actions.ts";
import { clickControl, describeConsole, expectAccessible, SIZES } from "./_console.ts";
import { waitForMessage } from "./_flags.ts";
import { createFlag, environmentOf, type } from "./_strategies.ts";

describeConsole("the dependencies and variants of a flag", (console) => {
  const readDependencies = async (flag: string) => {
    const read = await console.admin("GET", `/projects/default/features/${flag}`);
    return (read as { readonly dependencies: readonly unknown[] }).dependencies;
  };
  const variantsPath = (flag: string) =>
    `/projects/default/features/${flag}/environments/development/variants`;
  const readVariants = async (flag: string) => {
    const list = await console.admin("GET", variantsPath(flag));
    return (list as { readonly variants: readonly unknown[] }).variants;
  };

  test.each(SIZES)("makes a flag depend on another one on a %s", async (size) => {
    const [parent, child] = [`parent-${size}`, `child-${size}`];
    const variant = { weight: 500, weightType: "variable", stickiness: "default" };
    await createFlag(console, parent, [
      { name: "default", variants: ["red", "blue"].map((name) => ({ ...variant, name })) },
    ]);
    await createFlag(console, child);
    const page = await console.open(`/projects/default/flags/${child}`, { size });
    const section = page.getByRole("region", { name: "Dependencies" });
    await section.getByRole("button", { name: "Add dependency" }).click();
    const dialog = page.getByRole("dialog", { name: "Depend on another flag" });
    await dialog.getByRole("combobox", { name: "Flag" }).fill("unknown");
    await dialog.getByRole("button", { name: "Save" }).click();
    await dialog.getByText("Choose a flag from the list.").waitFor();
    await type(page, dialog.getByRole("combobox", { name: "Flag" }), parent);
    await choose(dialog, "Condition", "The other flag is on with certain variants");
    expect(await dialog.getByRole("button", { name: "Save" }).isDisabled()).toBe(true);
    await clickControl(dialog.getByRole("checkbox", { name: "red" }));
    await expectAccessible(page);
    await dialog.getByRole("button", { name: "Save" }).click();
    await waitForMessage(page, `${child} now depends on ${parent}`);
    await section.getByText("is on with the variant red").click();
    expect(await readDependencies(child)).toEqual([
      { feature: parent, enabled: true, variants: ["red"] },
    ]);

    await section.getByRole("button", { name: "Remove" }).click();
    await confirm(page, `${child} no longer depends on ${parent}.`, "Remove");
    const removed = await waitForMessage(page, "Removed the dependency");
    expect(await readDependencies(child)).toEqual([]);
    await removed.getByRole("button", { name: "Undo" }).click();
    await section.getByText(`Off unless ${parent}`).click();
    await section.getByRole("link", { name: parent }).click();
    await page.getByRole("heading", { name: parent, level: 1 }).waitFor();
    await section.getByText("1 flag depends on this one").click();
    await section.getByRole("link", { name: child }).waitFor();
    expect(await section.getByRole("button", { name: "Add dependency" }).count()).toBe(0);
    await expectAccessible(page);
  });

  test.each([
    ["Remove", "Removed the dependency"],
    ["Change", "now depends on"],
  ])(
    "Undo of %s works even if the page shows the change before the response",
    async (action, done) => {
      const [parent, other, child] = [`parent-${action}`, `other-${action}`, `child-${action}`];
      for (const flag of [parent, other, child]) await createFlag(console, flag);
      const path = `/projects/default/features/${child}/dependencies`;
      await console.admin("POST", path, { feature: parent });
      const page = await console.open(`/projects/default/flags/${child}`);
      await page.route(
        "**/dependencies",
        async (route) => {
          const response = await route.fetch();
          await page.getByText(`Off unless ${parent}`).waitFor({ state: "detached" });
          return route.fulfill({ response });
        },
        { times: 1 },
      );
      await page.getByText(`Off unless ${parent}`).click();
      await page.getByRole("button", { name: action, exact: true }).click();
      if (action === "Change") {
        const dialog = page.getByRole("dialog", { name: "Depend on another flag" });
        await type(page, dialog.getByRole("combobox", { name: "Flag" }), other);
        await dialog.getByRole("button", { name: "Save" }).click();
      }
      if (action === "Remove") await confirm(page, "no longer depends on", "Remove");
      const message = await waitForMessage(page, done);
      await message.getByRole("button", { name: "Undo" }).click();
      await expect.poll(() => readDependencies(child)).toMatchObject([{ feature: parent }]);
    },
  );

  test.each(SIZES)("edits the variants of an environment on a %s", async (size) => {
    const flag = `legacy-${size}`;
    await createFlag(console, flag);
    const overrides = [{ contextName: "userId", values: ["anna"] }];
    await console.admin("PUT", variantsPath(flag), [
      { name: "old", weight: 500, weightType: "variable", stickiness: "default", overrides },
      { name: "new", weight: 500, weightType: "variable", stickiness: "default" },
    ]);
    const page = await console.open(`/projects/default/flags/${flag}`, {
      size,
      expected: /status of 412/,
    });
    await environmentOf(page).getByText("Always old: userId is one of anna").waitFor();
    await environmentOf(page).getByRole("button", { name: "Edit variants" }).click();
    const dialog = page.getByRole("dialog", { name: "Variants in development" });
    const first = dialog.getByRole("group", { name: "Variant 1" });
    await first.getByLabel("Name").fill("newer");
    await choose(first, "Share", "Fixed");
    await first.getByLabel("Percentage").fill("30");
    await expectAccessible(page);

    await console.admin("PUT", variantsPath(flag), [
      { name: "theirs", weight: 1000, weightType: "variable", stickiness: "default" },
    ]);
    await dialog.getByRole("button", { name: "Save" }).click();
    await dialog.getByRole("button", { name: "Save mine anyway" }).click();
    const saved = await waitForMessage(page, "Saved the variants in development");
    expect(await readVariants(flag)).toMatchObject([
      { name: "newer", weight: 300, weightType: "fix" },
      { name: "old", weight: 700, weightType: "variable", overrides },
    ]);
    await saved.getByRole("button", { name: "Undo" }).click();
    // What the save replaced, not what the dialog had shown first.
    await expect.poll(() => readVariants(flag)).toMatchObject([{ name: "theirs" }]);
  });

  test("Undo does not overwrite variants that somebody else has changed", async () => {
    const flag = "undo-conflict-of-variants";
    await createFlag(console, flag);
    const variant = { weight: 1000, weightType: "variable", stickiness: "default" };
    await console.admin("PUT", variantsPath(flag), [{ ...variant, name: "original" }]);
    const page = await console.open(`/projects/default/flags/${flag}`, {
      expected: /status of 412/,
    });
    await environmentOf(page).getByRole("button", { name: "Edit variants" }).click();
    const dialog = page.getByRole("dialog", { name: "Variants in development" });
    await dialog.getByRole("group", { name: "Variant 1" }).getByLabel("Name").fill("mine");
    await dialog.getByRole("button", { name: "Save" }).click();
    const saved = await waitForMessage(page, "Saved the variants in development");
    await console.admin("PUT", variantsPath(flag), [{ ...variant, name: "theirs" }]);
    await saved.getByRole("button", { name: "Undo" }).click();
    await waitForMessage(page, "this was changed in the meantime");
    expect(await readVariants(flag)).toMatchObject([{ name: "theirs" }]);
  });

  test.each(SIZES)("edits who gets a variant regardless of shares on a %s", async (size) => {
    const [flag, planet] = [`overridden-${size}`, `planet-${size}`];
    await createFlag(console, flag);
    await console.admin("POST", "/context", {
      name: planet,
      legalValues: [{ value: "mars" }, { value: "venus" }],
    });
    const overrides = [
      { contextName: "userId", values: ["anna", "ben"] },
      { contextName: "sessionId", values: ["7"] },
    ];
    const variant = { weight: 500, weightType: "variable", stickiness: "default" };
    await console.admin("PUT", variantsPath(flag), [
      { ...variant, name: "blue", overrides },
      { ...variant, name: "red" },
    ]);
    const page = await console.open(`/projects/default/flags/${flag}`, { size });
    await environmentOf(page).getByRole("button", { name: "Edit variants" }).click();
    const dialog = page.getByRole("dialog", { name: "Variants in development" });
    const override = (name: string) => dialog.getByRole("group", { name, exact: true });
    const users = override("Variant 1, override 1");
    await users.getByRole("row", { name: "ben" }).getByRole("button", { name: "Remove" }).click();
    await users.getByRole("textbox", { name: "Add a value" }).fill("carl, dora");
    await page.keyboard.press("Enter");
    await dialog.getByRole("button", { name: "Remove variant 1, override 2" }).click();
    await expect
      .poll(() => page.evaluate(() => document.activeElement?.getAttribute("aria-label")))
      .toBe("Add override to variant 1");

    await dialog.getByRole("button", { name: "Add override to variant 2" }).click();
    const added = override("Variant 2, override 1");
    await dialog.getByRole("button", { name: "Save" }).click();
    await added.getByText("Choose a context field.").waitFor();
    await added.getByText("Add at least one value.").waitFor();
    await type(page, added.getByRole("combobox", { name: "Context field" }), planet);
    await added.getByRole("combobox", { name: "Values" }).fill("ven");
    await page.getByRole("option", { name: "venus" }).waitFor();
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    await page.keyboard.press("Tab");
    await added.getByRole("row", { name: "venus" }).waitFor();
    await expectAccessible(page);
    await dialog.getByRole("button", { name: "Save" }).click();

    const saved = await waitForMessage(page, "Saved the variants in development");
    await environmentOf(page).getByText(`Always red: ${planet} is one of venus`).waitFor();
    expect(await readVariants(flag)).toEqual([
      {
        ...variant,
        name: "blue",
        overrides: [{ contextName: "userId", values: ["anna", "carl", "dora"] }],
      },
      { ...variant, name: "red", overrides: [{ contextName: planet, values: ["venus"] }] },
    ]);
    await saved.getByRole("button", { name: "Undo" }).click();
    await expect
      .poll(() => readVariants(flag))
      .toEqual([
        { ...variant, name: "blue", overrides },
        { ...variant, name: "red" },
      ]);
  });
});
