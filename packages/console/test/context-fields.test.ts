import { expect, test } from "vitest";
import { field, rowNames, runAction } from "./_actions.ts";
import { clickControl, describeConsole, expectAccessible, SIZES } from "./_console.ts";
import { createProject, waitForMessage } from "./_flags.ts";

describeConsole("context fields", (console) => {
  const legalValuesOf = async (name: string): Promise<readonly string[]> => {
    const { legalValues } = (await console.admin("GET", `/context/${name}`)) as {
      readonly legalValues: readonly { readonly value: string }[];
    };
    return legalValues.map(({ value }) => value);
  };

  test.each(SIZES)("context fields are created with legal values on a %s", async (size) => {
    const name = `country-${size}`;
    const page = await console.open("/context-fields", { size });
    await page.getByRole("button", { name: "New context field" }).click();
    const dialog = page.getByRole("dialog", { name: "New context field" });
    await field(dialog, "Name").fill(name);
    await field(dialog, "Description").fill("Where the user lives");
    await clickControl(dialog.getByRole("checkbox", { name: "Can be used for stickiness" }));
    await field(dialog, "Value").fill("DE");
    await field(dialog, "Description (optional)").fill("Germany");
    await page.keyboard.press("Enter");
    await dialog.getByRole("button", { name: "Paste a list" }).click();
    await field(dialog, "One value per line").fill(`CH\tSwitzerland\nAT\n${"x".repeat(101)}`);
    await dialog.getByText("Line 3: a value can have at most 100 characters").waitFor();
    await expectAccessible(page);
    await dialog.getByRole("button", { name: "Add 2 values" }).click();
    await runAction(page, "DE", "Move down");
    await runAction(page, "AT", "Remove");
    await dialog.getByRole("button", { name: "Create context field" }).click();

    await waitForMessage(page, `Created ${name}`);
    await expect.poll(() => rowNames(page, "Context fields")).toContain(name);
    expect(await console.admin("GET", `/context/${name}`)).toMatchObject({
      description: "Where the user lives",
      stickiness: true,
      legalValues: [
        { value: "CH", description: "Switzerland" },
        { value: "DE", description: "Germany" },
      ],
    });
    await expectAccessible(page);
  });

  test("a context field appears that is created before the list has arrived", async () => {
    const page = await console.open("/tags");
    // Without this stream, only the dialog makes the page read the list again.
    await page.route("**/api/admin/changes", () => undefined);
    let release = (): void => undefined;
    const released = new Promise<void>((resolve) => (release = resolve));
    await page.route(
      "**/api/admin/context",
      async (route) => {
        const response = await route.fetch();
        await released;
        await route.fulfill({ response });
      },
      { times: 1 },
    );
    const list = page.waitForRequest("**/api/admin/context");
    await page.goto(`${console.url}/context-fields`);
    await list;
    await page.getByRole("button", { name: "New context field" }).click();
    await field(page.getByRole("dialog"), "Name").fill("early");
    await page.getByRole("button", { name: "Create context field" }).click();
    await waitForMessage(page, "Created early");
    release();
    await expect.poll(() => rowNames(page, "Context fields")).toContain("early");
  });

  test("context fields stay usable with thousands of legal values", async () => {
    const values = Array.from({ length: 5000 }, (_, index) => `tenant-${index}`);
    await console.admin("POST", "/context", {
      name: "tenant",
      legalValues: values.map((value) => ({ value })),
    });
    const page = await console.open("/context-fields");
    await runAction(page, "tenant", "Edit");
    const dialog = page.getByRole("dialog", { name: "tenant" });
    await dialog.getByText("5,000 values").waitFor();
    const rows = dialog.getByRole("region", { name: "Values" }).getByRole("listitem");
    expect(await rows.count()).toBeLessThan(40);
    await dialog.getByRole("searchbox").fill("tenant-4999");
    await expect.poll(() => rows.count()).toBe(1);
    await expectAccessible(page);
    await runAction(page, "tenant-4999", "Remove");
    await dialog.getByRole("button", { name: "Save" }).click();
    await waitForMessage(page, "Saved tenant");
    expect(await legalValuesOf("tenant")).toEqual(values.slice(0, -1));
  });

  test.each(SIZES)(
    "a context field in use is not deleted, and the page shows where it is used, on a %s",
    async (size) => {
      const [used, unused, flag] = [`used-${size}`, `unused-${size}`, `uses-fields-${size}`];
      await console.admin("POST", "/context", { name: used });
      await console.admin("POST", "/context", { name: unused });
      await console.admin("POST", "/projects/default/features", { name: flag });
      const constraints = [{ contextName: used, operator: "IN", values: ["a"] }];
      await console.admin(
        "POST",
        `/projects/default/features/${flag}/environments/development/strategies`,
        { name: "default", constraints },
      );
      await console.admin("POST", "/segments", { name: `with-${used}`, constraints });

      const page = await console.open("/context-fields", { size });
      const count = page.getByRole("row", { name: used }).getByText("1 flag, 1 segment");
      await count.waitFor();
      await runAction(page, used, "Delete");
      const refusal = page.getByRole("dialog", { name: `${used} cannot be deleted yet` });
      await refusal.getByRole("link", { name: flag }).waitFor();
      await refusal.getByText(`with-${used}`).waitFor();
      await expectAccessible(page);
      await refusal.getByRole("button", { name: "Close" }).click();

      await runAction(page, unused, "Delete");
      const dialog = page.getByRole("dialog", { name: `Delete ${unused}?` });
      await expectAccessible(page);
      await dialog.getByRole("button", { name: "Delete" }).click();
      await waitForMessage(page, `Deleted ${unused}`);
      await expect.poll(() => rowNames(page, "Context fields")).not.toContain(unused);
      expect(await rowNames(page, "Context fields")).toContain(used);
    },
  );

  test("a context field that somebody else has changed is not overwritten silently", async () => {
    await console.admin("POST", "/context", { name: "plan", description: "first" });
    const page = await console.open("/context-fields", { expected: /status of 412/ });
    await runAction(page, "plan", "Edit");
    const dialog = page.getByRole("dialog", { name: "plan" });
    await field(dialog, "Description").fill("mine");
    await console.admin("PUT", "/context/plan", { description: "theirs" });
    await dialog.getByRole("button", { name: "Save" }).click();
    await dialog.getByText("changed in the meantime").waitFor();
    expect(await field(dialog, "Description").inputValue()).toBe("mine");
    await expectAccessible(page);

    await dialog.getByRole("button", { name: "Load the new version" }).click();
    await expect.poll(() => field(dialog, "Description").inputValue()).toBe("theirs");
    await field(dialog, "Description").fill("mine again");
    await console.admin("PUT", "/context/plan", { description: "theirs again" });
    await dialog.getByRole("button", { name: "Save" }).click();
    await dialog.getByRole("button", { name: "Save mine anyway" }).click();
    await waitForMessage(page, "Saved plan");
    expect(await console.admin("GET", "/context/plan")).toMatchObject({
      description: "mine again",
    });
  });

  test.each(SIZES)(
    "context fields of a project are offered only in its strategies on a %s",
    async (size) => {
      const project = `fields-${size}`;
      const name = `basketSize_${size}`;
      await createProject(console, project, [{ name: `flag-${size}` }]);
      const page = await console.open(`/projects/${project}/settings`, { size });
      await page.getByRole("button", { name: "New context field for this project" }).click();
      await field(page.getByRole("dialog"), "Name").fill(name);
      await page.getByRole("button", { name: "Create context field" }).click();
      await expect.poll(() => rowNames(page, "Context fields")).toEqual([name]);
      await expectAccessible(page);
      expect(await console.admin("GET", `/context/${name}`)).toMatchObject({ name, project });
      await runAction(page, name, "Edit");
      await field(page.getByRole("dialog"), "Description").fill("How much is in the basket");
      await page.getByRole("button", { name: "Save", exact: true }).last().click();
      await page.getByRole("table").getByText("How much is in the basket").waitFor();
      expect(await console.admin("GET", `/context/${name}`)).toMatchObject({ name, project });

      const offered = page.waitForResponse(/\/context\?include=root$/);
      await page.goto(`${console.url}/projects/${project}/flags/flag-${size}`);
      await page.getByRole("button", { name: "Add strategy" }).first().click();
      await offered;
      await page.getByRole("button", { name: "Add constraint" }).click();
      const box = page.getByRole("combobox", { name: "Context field" });
      // Typing shows the suggestions that have arrived by then.
      await expect
        .poll(async () => {
          await box.fill("");
          await box.fill("basket");
          return page.getByRole("option", { name }).isVisible();
        })
        .toBe(true);
      await page.goto(`${console.url}/context-fields`);
      await page.getByRole("rowheader", { name: "userId" }).waitFor();
      expect(await rowNames(page, "Context fields")).not.toContain(name);
    },
  );
});
