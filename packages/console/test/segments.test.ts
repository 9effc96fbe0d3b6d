import { expect, test } from "vitest";
import { choose, field, rowNames, runAction } from "./_actions.ts";
import { describeConsole, expectAccessible, SIZES } from "./_console.ts";
import { waitForMessage } from "./_flags.ts";

interface StoredSegment {
  readonly id: number;
  readonly name: string;
}

describeConsole("segments", (console) => {
  const readSegment = async (name: string): Promise<StoredSegment | undefined> => {
    const { segments } = (await console.admin("GET", "/segments")) as {
      readonly segments: readonly StoredSegment[];
    };
    return segments.find((segment) => segment.name === name);
  };

  test.each(SIZES)("segments are created, edited and deleted on a %s", async (size) => {
    const name = `germans-${size}`;
    const page = await console.open("/segments", { size });
    await page.getByRole("button", { name: "New segment" }).first().click();
    const form = page.getByRole("dialog", { name: "New segment" });
    await form.getByText("Without constraints, this segment contains all users.").waitFor();
    await field(form, "Name").fill(name);
    await choose(page.getByRole("dialog"), "Available in", "Only Default");
    await form.getByRole("button", { name: "Add constraint" }).click();
    const constraint = form.getByRole("group", { name: "Constraint 1", exact: true });
    await constraint.getByRole("combobox", { name: "Context field" }).fill("userId");
    await page.keyboard.press("Tab");
    await field(constraint, "Values").fill("anna");
    await page.keyboard.press("Enter");
    await expectAccessible(page);
    await form.getByRole("button", { name: "Create segment" }).click();
    await waitForMessage(page, `Created ${name}`);
    expect(await readSegment(name)).toMatchObject({
      project: "default",
      constraints: [{ contextName: "userId", operator: "IN", values: ["anna"] }],
    });
    await expectAccessible(page);

    await runAction(page, name, "Edit");
    const edit = page.getByRole("dialog", { name });
    await field(edit, "Description").fill("People in Germany");
    await edit.getByRole("button", { name: "Save" }).click();
    await waitForMessage(page, `Saved ${name}`);
    expect(await readSegment(name)).toMatchObject({ description: "People in Germany" });

    await runAction(page, name, "Delete");
    const dialog = page.getByRole("dialog", { name: `Delete ${name}?` });
    await expectAccessible(page);
    await dialog.getByRole("button", { name: "Delete" }).click();
    await waitForMessage(page, `Deleted ${name}`);
    expect(await readSegment(name)).toBeUndefined();
  });

  test.each(SIZES)(
    "many values are read from a file, searched and removed on a %s",
    async (size) => {
      const page = await console.open("/segments", { size });
      await page.getByRole("button", { name: "New segment" }).first().click();
      const form = page.getByRole("dialog", { name: "New segment" });
      await field(form, "Name").fill(`customers-${size}`);
      await form.getByRole("button", { name: "Add constraint" }).click();
      const constraint = form.getByRole("group", { name: "Constraint 1", exact: true });
      await constraint.getByRole("combobox", { name: "Context field" }).fill("userId");
      await page.keyboard.press("Tab");

      const customers = Array.from({ length: 10_000 }, (_, index) => `customer-${index}`);
      await constraint.getByRole("button", { name: "Add or remove many" }).click();
      const many = constraint.getByRole("group", { name: "Add or remove many values" });
      const chooseFile = async (name: string, content: string): Promise<void> => {
        const choosing = page.waitForEvent("filechooser");
        await many.getByRole("button", { name: "Choose a CSV file" }).click();
        const file = { name, mimeType: "text/csv", buffer: Buffer.from(content) };
        await (await choosing).setFiles(file);
      };
      await chooseFile("book.xlsx", "PK\0\0");
      await many.getByText("book.xlsx is not a CSV file in UTF-8. Export it as one.").waitFor();
      const rows = customers.map((id, index) => `"Smith, Anna ${index}";${id}`);
      await chooseFile("customers.csv", ["name;id", ...rows].join("\r\n"));
      await choose(page.getByRole("dialog"), "Column of customers.csv", "id");
      await many.getByText("10,000 values, 0 of them in the list").waitFor();
      await expectAccessible(page);
      await many.getByRole("button", { name: "Add 10,000 values" }).click();
      await constraint.getByText("10,000 values", { exact: true }).waitFor();
      await constraint.getByText(/^Adds 1\d\d kB, before compression/).waitFor();

      // Only the visible values are rendered.
      const shown = constraint.getByRole("region", { name: "Values" }).getByRole("listitem");
      expect(await shown.count()).toBeLessThan(40);
      const search = constraint.getByRole("searchbox", { name: "Search the values" });
      await search.fill("customer-432");
      await page.keyboard.press("Enter");
      await constraint.getByText("11 values found").waitFor();
      await expectAccessible(page);
      await constraint.getByRole("button", { name: "Remove customer-4321", exact: true }).click();
      await constraint.getByRole("button", { name: "Remove these 10 values" }).click();
      await constraint.getByText("9,989 values", { exact: true }).waitFor();

      await constraint.getByRole("button", { name: "Add or remove many" }).click();
      await field(many, "Values to add or remove").fill("customer-0, customer-1\nunknown");
      await many.getByText("3 values, 2 of them in the list").waitFor();
      await many.getByRole("button", { name: "Remove 2 values" }).click();
      await constraint.getByText("9,987 values", { exact: true }).waitFor();
      await form.getByRole("button", { name: "Create segment" }).click();
      await waitForMessage(page, `Created customers-${size}`);
      const kept = customers.slice(2).filter((id) => !id.startsWith("customer-432"));
      expect(await readSegment(`customers-${size}`)).toMatchObject({
        constraints: [{ values: kept }],
      });
    },
  );

  test("hints at unknown context fields, and at values that look like several", async () => {
    const page = await console.open("/segments");
    await page.getByRole("button", { name: "New segment" }).first().click();
    const form = page.getByRole("dialog", { name: "New segment" });
    await field(form, "Name").fill("misspelt");
    await form.getByRole("button", { name: "Add constraint" }).click();
    const constraint = form.getByRole("group", { name: "Constraint 1", exact: true });
    const name = constraint.getByRole("combobox", { name: "Context field" });
    await name.fill("userid");
    await constraint.getByText("Do you mean userId? Upper and lower case matter.").waitFor();
    await name.fill("customer");
    await constraint.getByText("No context field has this name.").waitFor();
    await name.fill("userId");
    await page.keyboard.press("Tab");
    await constraint.getByText("No context field").waitFor({ state: "detached" });

    await field(constraint, "Values").fill("anna ben cleo");
    await page.keyboard.press("Enter");
    await constraint.getByText("“anna ben cleo” is one value.").waitFor();
    await expectAccessible(page);
    await constraint.getByRole("button", { name: "Split into 3 values" }).click();
    await constraint.getByText("is one value").waitFor({ state: "detached" });
    await constraint.getByRole("button", { name: "Edit as text" }).click();
    await field(constraint, "Values").fill("anna\nben;dora");
    await constraint.getByRole("button", { name: "Split into 2 values" }).click();
    await form.getByRole("button", { name: "Create segment" }).click();
    await waitForMessage(page, "Created misspelt");
    expect(await readSegment("misspelt")).toMatchObject({
      constraints: [{ contextName: "userId", values: ["anna", "ben", "dora"] }],
    });

    // What was stored is right as it is.
    const { id } = (await readSegment("misspelt")) as StoredSegment;
    await console.admin("PUT", `/segments/${id}`, {
      name: "misspelt",
      constraints: [{ contextName: "userId", operator: "IN", values: ["New York"] }],
    });
    await runAction(page, "misspelt", "Edit");
    const edit = page.getByRole("dialog", { name: "misspelt" });
    await edit
      .getByRole("row", { name: "New York" })
      .or(edit.getByText("New York"))
      .first()
      .waitFor();
    expect(await edit.getByText("is one value").count()).toBe(0);
  });

  test("a segment in use is not deleted, and the page shows where it is used", async () => {
    await console.admin("POST", "/segments", { name: "in-use", constraints: [] });
    const { id } = (await readSegment("in-use")) ?? { id: 0 };
    await console.admin("POST", "/projects/default/features", { name: "uses-a-segment" });
    await console.admin(
      "POST",
      "/projects/default/features/uses-a-segment/environments/production/strategies",
      { name: "default", segments: [id] },
    );
    const page = await console.open("/segments");
    await runAction(page, "in-use", "Delete");
    const refusal = page.getByRole("dialog", { name: "in-use cannot be deleted yet" });
    await refusal.getByRole("link", { name: "uses-a-segment" }).waitFor();
    await refusal.getByText("in production").waitFor();
    await expectAccessible(page);
    const link = refusal.getByRole("link", { name: "uses-a-segment" });
    expect(await link.getAttribute("href")).toBe("/projects/default/flags/uses-a-segment");
  });

  test("a segment that somebody else has changed is not overwritten silently", async () => {
    await console.admin("POST", "/segments", { name: "contested", constraints: [] });
    const { id } = (await readSegment("contested")) ?? { id: 0 };
    const page = await console.open("/segments", { expected: /status of 412/ });
    await runAction(page, "contested", "Edit");
    const dialog = page.getByRole("dialog", { name: "contested" });
    await field(dialog, "Description").fill("mine");
    await console.admin("PUT", `/segments/${id}`, {
      name: "contested",
      description: "theirs",
      constraints: [],
    });
    await dialog.getByRole("button", { name: "Save" }).click();
    await dialog.getByText("changed in the meantime").waitFor();
    expect(await readSegment("contested")).toMatchObject({ description: "theirs" });
    await dialog.getByRole("button", { name: "Save mine anyway" }).click();
    await waitForMessage(page, "Saved contested");
    expect(await readSegment("contested")).toMatchObject({ description: "mine" });
  });

  test("a changed segment is not overwritten even if the stream of changes was interrupted", async () => {
    await console.admin("POST", "/segments", { name: "interrupted", constraints: [] });
    const { id } = (await readSegment("interrupted")) ?? { id: 0 };
    const page = await console.open("/segments", { expected: /status of 412/ });
    await runAction(page, "interrupted", "Edit");
    const dialog = page.getByRole("dialog", { name: "interrupted" });
    await field(dialog, "Description").fill("mine");
    await console.admin("PUT", `/segments/${id}`, {
      name: "interrupted",
      description: "theirs",
      constraints: [],
    });
    // The page then reads everything again, since it may have missed changes.
    const isReadAgain = page.waitForResponse(new RegExp(`/segments/${id}$`));
    await page.evaluate(() => document.dispatchEvent(new Event("visibilitychange")));
    await (await isReadAgain).finished();
    await dialog.getByRole("button", { name: "Save" }).click();
    await dialog.getByText("changed in the meantime").waitFor();
    expect(await readSegment("interrupted")).toMatchObject({ description: "theirs" });
  });

  test("viewers can only read segments", async () => {
    await console.admin("POST", "/segments", { name: "to-read", constraints: [] });
    const page = await console.open("/segments", { role: "viewer" });
    await page.getByRole("button", { name: "Actions for to-read" }).click();
    await page.getByRole("menuitem", { name: "Where it is used" }).waitFor();
    expect(await page.getByRole("menuitem").allTextContents()).toEqual(["Where it is used"]);
    expect(await rowNames(page, "Segments")).toContain("to-read");
  });
});
