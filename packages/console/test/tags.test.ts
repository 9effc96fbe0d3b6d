import { expect, test } from "vitest";
import { choose, field, rowNames, runAction } from "./_actions.ts";
import { describeConsole, expectAccessible, SIZES } from "./_console.ts";
import { createProject, waitForMessage } from "./_flags.ts";

describeConsole("tags", (console) => {
  test.each(SIZES)("tags and their types are created and deleted on a %s", async (size) => {
    const type = `team-${size}`;
    const page = await console.open("/tags", { size });
    await page.getByRole("tab", { name: "Tag types" }).click();
    await page.getByRole("button", { name: "New tag type" }).click();
    const typeForm = page.getByRole("dialog", { name: "New tag type" });
    await field(typeForm, "Name").fill(type);
    await field(typeForm, "Description").fill("Who looks after a flag");
    await expectAccessible(page);
    await typeForm.getByRole("button", { name: "Create tag type" }).click();
    await waitForMessage(page, `Created the tag type ${type}`);
    await runAction(page, type, "Edit");
    await field(page.getByRole("dialog", { name: type }), "Description").fill("The team");
    await page.getByRole("button", { name: "Save" }).click();
    await waitForMessage(page, `Saved ${type}`);
    expect(await console.admin("GET", `/tag-types/${type}`)).toMatchObject({
      tagType: { description: "The team" },
    });
    await expectAccessible(page);

    await page.getByRole("tab", { name: "Tags", exact: true }).click();
    await page.getByRole("button", { name: /^(New|Create a) tag$/ }).click();
    const form = page.getByRole("dialog", { name: "New tag" });
    await choose(page.getByRole("dialog"), "Type", type);
    await field(form, "Value").fill("payments");
    await choose(page.getByRole("dialog"), "Colour", "Blue");
    await expectAccessible(page);
    await form.getByRole("button", { name: "Create tag" }).click();
    await waitForMessage(page, `Created the tag ${type}:payments`);
    expect(await console.admin("GET", `/tags/${type}/payments`)).toMatchObject({
      tag: { color: "#2563eb" },
    });

    const flag = `tagged-${size}`;
    await createProject(console, flag, [{ name: flag, tags: [{ type, value: "payments" }] }]);
    await runAction(page, `${type}:payments`, "Delete");
    const dialog = page.getByRole("dialog", { name: `Delete the tag ${type}:payments?` });
    await expectAccessible(page);
    await dialog.getByRole("button", { name: "Delete" }).click();
    await waitForMessage(page, `Deleted the tag ${type}:payments`);
    expect(await console.admin("GET", `/features/${flag}/tags`)).toMatchObject({ tags: [] });
  });

  test("tag types that a flag uses are not deleted", async () => {
    await console.admin("POST", "/tag-types", { name: "used" });
    await createProject(console, "tagging", [
      { name: "tagging-flag", tags: [{ type: "used", value: "value" }] },
    ]);
    const page = await console.open("/tags", { expected: /status of 409/ });
    await page.getByRole("tab", { name: "Tag types" }).click();
    await runAction(page, "used", "Delete");
    const dialog = page.getByRole("dialog", { name: "Delete the tag type used?" });
    await dialog.getByRole("button", { name: "Delete" }).click();
    await dialog.getByText('"tagging-flag" has a tag of this type').waitFor();
    await dialog.getByRole("button", { name: "Cancel" }).click();
    expect(await rowNames(page, "Tag types")).toContain("used");
  });
});
