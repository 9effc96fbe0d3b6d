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

  test("a list of 5,000 customers is pasted, searched, changed and saved", async () => {
    const page = await console.open("/segments");
    await page.getByRole("button", { name: "New segment" }).first().click();
    const form = page.getByRole("dialog", { name: "New segment" });
    await field(form, "Name").fill("customers");
    await form.getByRole("button", { name: "Add constraint" }).click();
    const constraint = form.getByRole("group", { name: "Constraint 1", exact: true });
    await constraint.getByRole("combobox", { name: "Context field" }).fill("userId");
    await page.keyboard.press("Tab");
    const customers = Array.from({ length: 5000 }, (_, index) => `customer-${index}`);
    await field(constraint, "Values").evaluate((element, text) => {
      const clipboardData = new DataTransfer();
      clipboardData.setData("text/plain", text);
      element.dispatchEvent(
        new ClipboardEvent("paste", { clipboardData, bubbles: true, cancelable: true }),
      );
    }, customers.join("\n"));
    await constraint.getByText("5,000 values", { exact: true }).waitFor();
    await constraint.getByText(/^Adds \d+ kB, before compression/).waitFor();

    await constraint.getByRole("searchbox", { name: "Search the values" }).fill("4321");
    await page.keyboard.press("Enter");
    const found = constraint.getByRole("row", { name: "customer-4321" });
    await found.getByRole("button", { name: "Remove" }).click();
    await constraint.getByText("No value matches.").waitFor();
    await expectAccessible(page);
    await form.getByRole("button", { name: "Create segment" }).click();
    await waitForMessage(page, "Created customers");
    expect(await readSegment("customers")).toMatchObject({
      constraints: [{ values: customers.filter((id) => id !== "customer-4321") }],
    });
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
