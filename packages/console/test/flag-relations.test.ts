import { expect, test } from "vitest";
import { clickControl, describeConsole, expectAccessible, SIZES } from "./_console.ts";
import { waitForMessage } from "./_flags.ts";
import { createFlag, environmentOf, select, type } from "./_strategies.ts";

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
    await select(page, dialog, "Condition", "The other flag is on with certain variants");
    expect(await dialog.getByRole("button", { name: "Save" }).isDisabled()).toBe(true);
    await clickControl(dialog.getByRole("checkbox", { name: "red" }));
    await expectAccessible(page);
    await dialog.getByRole("button", { name: "Save" }).click();
    await waitForMessage(page, `${child} now depends on ${parent}`);
    await section.getByText("is on with the variant red").waitFor();
    expect(await readDependencies(child)).toEqual([
      { feature: parent, enabled: true, variants: ["red"] },
    ]);

    await section.getByRole("button", { name: "Remove" }).click();
    const removed = await waitForMessage(page, "Removed the dependency");
    expect(await readDependencies(child)).toEqual([]);
    await removed.getByRole("button", { name: "Undo" }).click();
    await section.getByRole("link", { name: parent }).click();
    await page.getByRole("heading", { name: parent, level: 1 }).waitFor();
    await section.getByRole("link", { name: child }).waitFor();
    expect(await section.getByRole("button", { name: "Add dependency" }).count()).toBe(0);
    await expectAccessible(page);
  });

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
    await environmentOf(page).getByRole("button", { name: "Edit variants" }).click();
    const dialog = page.getByRole("dialog", { name: "Variants in development" });
    await dialog.getByText("old: userId is one of anna").waitFor();
    const first = dialog.getByRole("group", { name: "Variant 1" });
    await first.getByLabel("Name").fill("newer");
    await select(page, first, "Share", "Fixed");
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
    await expect.poll(() => readVariants(flag)).toMatchObject([{ name: "new" }, { name: "old" }]);
  });
});
