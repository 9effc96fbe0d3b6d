import type { Locator, Page } from "playwright-core";
import { expect, test } from "vitest";
import { choose, confirm } from "./_actions.ts";
import { clickControl, describeConsole, expectAccessible, SIZES } from "./_console.ts";
import { waitForMessage } from "./_flags.ts";
import {
  createFlag,
  environmentOf,
  patchStrategy,
  readStrategies,
  readTitles,
  runAction,
  type,
} from "./_strategies.ts";

describeConsole("the strategies of a flag", (console) => {
  const openDialog = async (page: Page): Promise<Locator> => {
    await environmentOf(page).getByRole("button", { name: "Add strategy" }).click();
    return page.getByRole("dialog", { name: "New strategy in development" });
  };
  const titled = (...titles: readonly string[]) =>
    titles.map((title) => ({ name: "default", title }));

  test("long names fit in the dialog on a phone", async () => {
    const long = "L".repeat(100);
    const segment = await console.admin("POST", "/segments", { name: long, constraints: [] });
    await console.admin("POST", "/context", { name: long, stickiness: true });
    await createFlag(console, "long-names", [
      {
        name: "flexibleRollout",
        title: "long",
        parameters: { rollout: "50", stickiness: long, groupId: long },
        segments: [(segment as { readonly id: number }).id],
        constraints: [{ contextName: long, operator: "IN", values: [long] }],
        variants: [{ name: long, weight: 1000, weightType: "variable", stickiness: long }],
      },
    ]);
    const page = await console.open("/projects/default/flags/long-names", { size: "phone" });
    await page.getByRole("button", { name: "Edit long" }).click();
    const dialog = page.getByRole("dialog", { name: "Strategy in development" });
    await dialog.getByRole("group", { name: `Segment ${long}` }).waitFor();
    const width = await dialog.evaluate((element) => element.getBoundingClientRect().width);
    expect(width).toBeLessThanOrEqual(390);
    const hidden = await dialog
      .locator(".dialog-content")
      .evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth);
    expect(hidden).toBe(0);

    await choose(dialog, "Stickiness of the variants", "User id");
    await dialog.getByRole("button", { name: "Stickiness of the variants" }).press("Enter");
    const choices = page.getByRole("listbox");
    await choices.getByRole("option", { name: long }).waitFor();
    const cut = await choices.evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth);
    expect(cut).toBe(0);
  });

  test.each(SIZES)("adds a rollout with all its parts on a %s", async (size) => {
    const flag = `complete-${size}`;
    await createFlag(console, flag);
    await console.admin("POST", "/context", {
      name: `country-${size}`,
      legalValues: ["AT", "CH", "DE"].map((value) => ({ value })),
    });
    const segment = await console.admin("POST", "/segments", {
      name: `Testers ${size}`,
      constraints: [{ contextName: "userId", operator: "STR_ENDS_WITH", values: ["@test"] }],
    });
    const page = await console.open(`/projects/default/flags/${flag}`, { size });
    const dialog = await openDialog(page);
    await dialog.getByLabel("Title").fill("Pilot");
    await dialog.getByRole("slider", { name: "Rollout" }).focus();
    await page.keyboard.press("Home");
    for (let step = 0; step < 3; step++) await page.keyboard.press("ArrowRight");
    await choose(dialog, "Stickiness", "User id");

    await choose(dialog, "Add a segment", `Testers ${size}`);
    await dialog.getByRole("group", { name: `Segment Testers ${size}` }).waitFor();

    await dialog.getByRole("button", { name: "Add constraint" }).click();
    const constraint = dialog.getByRole("group", { name: "Constraint 1" });
    await type(page, constraint.getByRole("combobox"), `country-${size}`);
    const values = constraint.getByRole("combobox", { name: "Values" });
    await values.scrollIntoViewIfNeeded();
    await values.focus();
    await page.keyboard.type("D");
    await page.getByRole("option", { name: "DE" }).waitFor();
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    // The list stays open, so that several values can be chosen.
    await page.getByRole("option", { name: "DE" }).waitFor({ state: "detached" });
    await page.keyboard.press("Tab");
    await constraint.getByRole("row", { name: "DE" }).waitFor();
    const further = constraint.getByRole("combobox", { name: "Add a value" });
    expect(await further.inputValue()).toBe("");
    await clickControl(constraint.getByRole("checkbox", { name: /^Invert/ }));

    for (const [index, name] of ["red", "blue"].entries()) {
      await dialog.getByRole("button", { name: "Add variant" }).click();
      const variant = dialog.getByRole("group", { name: `Variant ${index + 1}` });
      await variant.getByLabel("Name").fill(name);
    }
    const red = dialog.getByRole("group", { name: "Variant 1" });
    await choose(red, "Share", "Fixed");
    await red.getByLabel("Percentage").fill("12.5");
    await choose(red, "Payload", "JSON");
    await red.getByRole("textbox", { name: "Value" }).fill('{"a":1}');
    await dialog
      .getByText(
        `On for 3% of users in the segment Testers ${size} whose country-${size} is not DE, ` +
          "with the variants red (12.5%) and blue (87.5%).",
      )
      .waitFor();
    await expectAccessible(page);
    await dialog.getByRole("button", { name: "Add strategy" }).click();
    await waitForMessage(page, "Added a strategy in development");

    const [{ id: _id, ...stored } = { id: "" }] = await readStrategies(console, flag);
    const variant = { stickiness: "userId" };
    expect(stored).toEqual({
      name: "flexibleRollout",
      title: "Pilot",
      disabled: false,
      parameters: { rollout: "3", stickiness: "userId", groupId: flag },
      constraints: [
        {
          contextName: `country-${size}`,
          operator: "IN",
          values: ["DE"],
          inverted: true,
          caseInsensitive: false,
        },
      ],
      segments: [(segment as { readonly id: number }).id],
      variants: [
        { ...variant, name: "blue", weight: 875, weightType: "variable" },
        {
          ...variant,
          name: "red",
          weight: 125,
          weightType: "fix",
          payload: { type: "json", value: '{"a":1}' },
        },
      ],
      sortOrder: 0,
    });
    await environmentOf(page).getByText("Pilot").waitFor();
    await expectAccessible(page);
  });

  test.each(SIZES)("explains what is wrong before it sends anything on a %s", async (size) => {
    const flag = `invalid-${size}`;
    await createFlag(console, flag);
    const page = await console.open(`/projects/default/flags/${flag}`, { size });
    const dialog = await openDialog(page);
    const submit = dialog.getByRole("button", { name: "Add strategy" });
    await dialog.getByRole("button", { name: "Add constraint" }).click();
    await submit.click();
    const constraint = dialog.getByRole("group", { name: "Constraint 1" });
    await constraint.getByText("Choose a context field.").waitFor();
    await constraint.getByText("Add at least one value.").waitFor();
    // The focus moves to the field, whose suggestions would cover the dialog.
    expect(await page.getByRole("listbox").count()).toBe(0);

    await type(page, constraint.getByRole("combobox"), "version");
    await choose(constraint, "Condition", "is at least version");
    await constraint.getByRole("textbox", { name: "Version" }).fill("1.2");
    await submit.click();
    await constraint.getByText("Enter a complete version").waitFor();
    await constraint.getByRole("textbox", { name: "Version" }).fill("1.2.3");

    await dialog.getByRole("button", { name: "Add variant" }).click();
    const variant = dialog.getByRole("group", { name: "Variant 1" });
    await variant.getByLabel("Name").fill("a b");
    await choose(variant, "Payload", "JSON");
    await variant.getByRole("textbox", { name: "Value" }).fill("{a}");
    await submit.click();
    await variant.getByText("This is not valid JSON").waitFor();
    await variant.getByText("Use only letters without accents").waitFor();
    await expectAccessible(page);
    expect(await readStrategies(console, flag)).toEqual([]);
    await dialog.getByRole("button", { name: "Cancel" }).click();
    await page.getByRole("button", { name: "Discard" }).click();
    await dialog.waitFor({ state: "detached" });
  });

  test("moves the focus to what was added, and to the button after a removal", async () => {
    await createFlag(console, "added-parts");
    const page = await console.open("/projects/default/flags/added-parts");
    const dialog = await openDialog(page);
    await dialog.getByRole("button", { name: "Add constraint" }).click();
    const constraint = dialog.getByRole("group", { name: "Constraint 1" });
    await expect.poll(() => isShown(constraint)).toBe(true);
    await page.keyboard.type("userId");
    await page.keyboard.press("Tab");
    expect(await constraint.getByRole("combobox").inputValue()).toBe("userId");
    await dialog.getByText(/On for everyone whose userId is one of … The flag is off/).waitFor();

    for (const name of ["red", "blue"]) {
      await dialog.getByRole("button", { name: "Add variant" }).click();
      await page.keyboard.type(name);
    }
    await dialog.getByText("with the variants red (50%) and blue (50%).").waitFor();

    await dialog.getByRole("button", { name: "Remove variant 2" }).click();
    // The focus is on the button that adds one.
    await page.keyboard.press("Enter");
    await page.keyboard.type("green");
    await dialog.getByText("with the variants red (50%) and green (50%).").waitFor();
  });

  test("a variant is no longer marked when the other one with its name gets another", async () => {
    await createFlag(console, "twice-the-same");
    const page = await console.open("/projects/default/flags/twice-the-same");
    const dialog = await openDialog(page);
    for (let count = 0; count < 2; count++) {
      await dialog.getByRole("button", { name: "Add variant" }).click();
      await page.keyboard.type("red");
    }
    await dialog.getByRole("button", { name: "Add strategy" }).click();
    const duplicate = dialog.getByText("Another variant has this name.");
    await expect.poll(() => duplicate.count()).toBe(2);
    const second = dialog.getByRole("group", { name: "Variant 2" });
    await second.getByLabel("Name").fill("blue");
    await second.getByLabel("Name").press("Tab");
    await expect.poll(() => duplicate.count()).toBe(0);
    await dialog.getByRole("button", { name: "Add strategy" }).click();
    await waitForMessage(page, "Added a strategy");
  });

  test("rolls out to whole percentages, because the service accepts no others", async () => {
    await createFlag(console, "whole-percents", [
      { name: "flexibleRollout", title: "Some", parameters: { rollout: "12" } },
    ]);
    const page = await console.open("/projects/default/flags/whole-percents");
    await environmentOf(page).getByText("12% of users").waitFor();
    await page.getByRole("button", { name: "Edit Some" }).click();
    const dialog = page.getByRole("dialog", { name: "Strategy in development" });
    const percentage = dialog.getByRole("textbox", { name: "Percentage" });
    expect(await percentage.inputValue()).toBe("12");
    // While somebody types, the sentence already says what it means.
    await percentage.fill("40");
    await dialog.getByText("On for 40% of users.").waitFor();
    expect(await dialog.getByRole("slider", { name: "Rollout" }).inputValue()).toBe("40");
    await percentage.fill("30.4");
    await page.keyboard.press("Tab");
    expect(await percentage.inputValue()).toBe("30");
    await dialog.getByText("On for 30% of users.").waitFor();
    await dialog.getByRole("button", { name: "Save" }).click();
    await waitForMessage(page, "Saved the strategy");
    expect(await readStrategies(console, "whole-percents")).toMatchObject([
      { parameters: { rollout: "30" } },
    ]);
  });

  test("shows a problem that only the service can find", async () => {
    await createFlag(console, "bad-pattern");
    const page = await console.open("/projects/default/flags/bad-pattern", {
      expected: /status of 400/,
    });
    const dialog = await openDialog(page);
    await dialog.getByRole("button", { name: "Add constraint" }).click();
    await type(page, dialog.getByRole("combobox", { name: "Context field" }), "userId");
    await choose(dialog, "Condition", "matches the pattern");
    await dialog.getByRole("textbox", { name: "Pattern" }).fill("[a");
    await dialog.getByRole("button", { name: "Add strategy" }).click();
    await dialog.getByRole("alert").getByText("RE2 syntax").waitFor();
    expect(await dialog.getByRole("textbox", { name: "Pattern" }).inputValue()).toBe("[a");
  });

  test("accepts long lists of values that are pasted or edited as text", async () => {
    await createFlag(console, "long-list");
    const page = await console.open("/projects/default/flags/long-list");
    const dialog = await openDialog(page);
    await dialog.getByRole("button", { name: "Add constraint" }).click();
    await type(page, dialog.getByRole("combobox", { name: "Context field" }), "userId");
    const values = dialog.getByRole("textbox", { name: "Values" });
    await values.focus();
    await values.evaluate((element) => {
      const clipboardData = new DataTransfer();
      const ids = Array.from({ length: 5000 }, (_, index) => `user-${index}`);
      clipboardData.setData("text/plain", ids.join(", "));
      element.dispatchEvent(
        new ClipboardEvent("paste", { clipboardData, bubbles: true, cancelable: true }),
      );
    });
    await dialog.getByText("5,000 values, at most 250", { exact: true }).waitFor();
    await dialog.getByRole("button", { name: "Add strategy" }).click();
    await dialog
      .getByText(/A list has at most 250 values; these are 5,000\. Put it into a segment/)
      .waitFor();

    await dialog.getByRole("button", { name: "Edit as text" }).click();
    await values.fill("Doe, Jane\nben\n\nben\n");
    await dialog.getByText("2 values", { exact: true }).waitFor();
    await dialog.getByRole("button", { name: "Add strategy" }).click();
    await waitForMessage(page, "Added a strategy");
    expect(await readStrategies(console, "long-list")).toMatchObject([
      { constraints: [{ contextName: "userId", operator: "IN", values: ["Doe, Jane", "ben"] }] },
    ]);
  });

  test("edits a list of ids, one per line", async () => {
    await createFlag(console, "ids", [
      { name: "userWithId", parameters: { userIds: "anna,ben" }, title: "Friends" },
    ]);
    const page = await console.open("/projects/default/flags/ids");
    await page.getByRole("button", { name: "Edit Friends" }).click();
    const dialog = page.getByRole("dialog", { name: "Strategy in development" });
    const ids = dialog.getByRole("textbox", { name: "User ids" });
    expect(await ids.inputValue()).toBe("anna\nben");
    await ids.fill("anna\ncarl, dora\n");
    await dialog.getByText("3 values.").waitFor();
    await dialog.getByRole("button", { name: "Save" }).click();
    const saved = await waitForMessage(page, "Saved the strategy");
    expect(await readStrategies(console, "ids")).toMatchObject([
      { parameters: { userIds: "anna,carl,dora" } },
    ]);
    await saved.getByRole("button", { name: "Undo" }).click();
    await expect
      .poll(() => readStrategies(console, "ids"))
      .toMatchObject([{ parameters: { userIds: "anna,ben" } }]);
  });

  test("warns of addresses that can never match, in the form and on the page", async () => {
    const IPs = "10.0.0.0/8,999.1.1.1,10.0.0.0/99";
    await createFlag(console, "addresses", [
      { name: "remoteAddress", parameters: { IPs }, title: "Office" },
    ]);
    const page = await console.open("/projects/default/flags/addresses");
    const warning = (entries: string) =>
      `The list contains ${entries}, which no address matches: an entry must be an IP address or range.`;
    const shown = page.getByText(warning('"999.1.1.1", "10.0.0.0/99"'), { exact: true });
    await shown.waitFor();
    await expectAccessible(page);
    await page.getByRole("button", { name: "Edit Office" }).click();
    const dialog = page.getByRole("dialog", { name: "Strategy in development" });
    const addresses = dialog.getByRole("textbox", { name: "IP addresses" });
    await dialog.getByText(warning('"999.1.1.1", "10.0.0.0/99"'), { exact: true }).waitFor();
    await expectAccessible(page);
    await addresses.fill("10.0.0.0/8\n2001:db8::/32, fe80::1%eth0\noffice");
    await dialog.getByText(warning('"office"'), { exact: true }).waitFor();
    await addresses.fill("10.0.0.0/8\n2001:db8::/32, fe80::1%eth0");
    await dialog.getByText("The list contains").waitFor({ state: "detached" });
    await dialog.getByRole("button", { name: "Save" }).click();
    await waitForMessage(page, "Saved the strategy");
    await shown.waitFor({ state: "detached" });
    expect(await readStrategies(console, "addresses")).toMatchObject([
      { parameters: { IPs: "10.0.0.0/8,2001:db8::/32,fe80::1%eth0" } },
    ]);
  });

  test.each([
    ["accepts", "v(1)"],
    ["rejects", "a b"],
  ])("saves a variant whose name the service %s", async (verb, name) => {
    const flag = `name-that-service-${verb}`;
    const variant = { name: "red", weight: 1000, weightType: "variable", stickiness: "default" };
    await createFlag(console, flag, [{ name: "default", title: "Named", variants: [variant] }]);
    const page = await console.open(`/projects/default/flags/${flag}`, {
      expected: /status of 400/,
    });
    // The service may have accepted the name under an older rule.
    await page.route("**/strategies/*", async (route) => {
      if (route.request().method() !== "GET") return route.fallback();
      const response = await route.fetch();
      const body = (await response.text()).replace('"red"', JSON.stringify(name));
      return route.fulfill({ response, body });
    });
    await page.getByRole("button", { name: "Edit Named" }).click();
    const dialog = page.getByRole("dialog", { name: "Strategy in development" });
    await dialog.getByLabel("Title").fill("Renamed");
    const saving = page.waitForResponse((response) => response.request().method() === "PUT");
    await dialog.getByRole("button", { name: "Save" }).click();
    const sent: unknown = (await saving).request().postDataJSON();
    expect(sent).toMatchObject({ title: "Renamed", variants: [{ name }] });
  });

  test("edits the declared parameters of a custom strategy", async () => {
    await console.admin("POST", "/strategies", {
      name: "byPlan",
      title: "By plan",
      parameters: [
        { name: "plans", type: "list", required: true },
        { name: "share", type: "percentage" },
        { name: "strict", type: "boolean" },
      ],
    });
    await createFlag(console, "custom");
    const page = await console.open("/projects/default/flags/custom");
    const dialog = await openDialog(page);
    await choose(dialog, "Type", "By plan");
    await dialog.getByLabel("plans").fill("pro\nteam");
    await dialog.getByRole("textbox", { name: "Percentage" }).fill("40");
    await clickControl(dialog.getByRole("checkbox", { name: "strict" }));
    await expectAccessible(page);
    await dialog.getByRole("button", { name: "Add strategy" }).click();
    await waitForMessage(page, "Added a strategy");
    expect(await readStrategies(console, "custom")).toMatchObject([
      { name: "byPlan", parameters: { plans: "pro,team", share: "40", strict: "true" } },
    ]);
  });

  test.each(["Load the new version", "Save mine anyway"])(
    "does not overwrite the change of somebody else: %s",
    async (choice) => {
      const flag = `conflict-${choice.split(" ")[0]?.toLowerCase() ?? ""}`;
      await createFlag(console, flag, titled("Original"));
      const page = await console.open(`/projects/default/flags/${flag}`, {
        expected: /status of 412/,
      });
      await page.getByRole("button", { name: "Edit Original" }).click();
      const dialog = page.getByRole("dialog", { name: "Strategy in development" });
      await dialog.getByLabel("Title").fill("Mine");
      await patchStrategy(console, flag, { title: "Theirs" });
      await dialog.getByRole("button", { name: "Save" }).click();
      await dialog.getByRole("alert").getByText("this was changed in the meantime").waitFor();
      const change = dialog.getByRole("row", { name: /^title/ });
      expect(await change.innerText()).toMatch(/^title\s+Original\s+Theirs$/);
      expect(await dialog.getByLabel("Title").inputValue()).toBe("Mine");
      expect(await readTitles(console, flag)).toEqual(["Theirs"]);
      await expectAccessible(page);

      await dialog.getByRole("button", { name: choice }).click();
      if (choice === "Save mine anyway") {
        const saved = await waitForMessage(page, "Saved the strategy");
        expect(await readTitles(console, flag)).toEqual(["Mine"]);
        await saved.getByRole("button", { name: "Undo" }).click();
        await expect.poll(() => readTitles(console, flag)).toEqual(["Theirs"]);
        return;
      }
      await expect.poll(() => dialog.getByLabel("Title").inputValue()).toBe("Theirs");
      await dialog.getByLabel("Title").fill("Both");
      await dialog.getByRole("button", { name: "Save" }).click();
      await dialog.waitFor({ state: "detached" });
      expect(await readTitles(console, flag)).toEqual(["Both"]);
    },
  );

  test("Save mine anyway overwrites only what Undo can restore", async () => {
    await createFlag(console, "two-conflicts", titled("Original"));
    const page = await console.open("/projects/default/flags/two-conflicts", {
      expected: /status of 412/,
    });
    await page.getByRole("button", { name: "Edit Original" }).click();
    const dialog = page.getByRole("dialog", { name: "Strategy in development" });
    await dialog.getByLabel("Title").fill("Mine");
    await patchStrategy(console, "two-conflicts", { title: "Theirs" });
    await dialog.getByRole("button", { name: "Save" }).click();
    const overwrite = dialog.getByRole("button", { name: "Save mine anyway" });
    await overwrite.waitFor();
    // Somebody saves again, after the console has read what it is about to overwrite.
    await page.route(
      "**/strategies/*",
      async (route) => {
        const response = await route.fetch();
        await patchStrategy(console, "two-conflicts", { title: "Theirs again" });
        return route.fulfill({ response });
      },
      { times: 1 },
    );
    const rejected = page.waitForResponse((response) => response.status() === 412);
    await overwrite.click();
    await rejected;
    expect(await readTitles(console, "two-conflicts")).toEqual(["Theirs again"]);

    await overwrite.click();
    const saved = await waitForMessage(page, "Saved the strategy");
    expect(await readTitles(console, "two-conflicts")).toEqual(["Mine"]);
    await saved.getByRole("button", { name: "Undo" }).click();
    await expect.poll(() => readTitles(console, "two-conflicts")).toEqual(["Theirs again"]);
  });

  test("Undo does not overwrite the change of somebody else", async () => {
    await createFlag(console, "undo-conflict", titled("Original"));
    const page = await console.open("/projects/default/flags/undo-conflict", {
      expected: /status of 412/,
    });
    await page.getByRole("button", { name: "Edit Original" }).click();
    const dialog = page.getByRole("dialog", { name: "Strategy in development" });
    await dialog.getByLabel("Title").fill("Mine");
    await dialog.getByRole("button", { name: "Save" }).click();
    const saved = await waitForMessage(page, "Saved the strategy");
    await patchStrategy(console, "undo-conflict", { title: "Theirs" });
    await saved.getByRole("button", { name: "Undo" }).click();
    await waitForMessage(page, "this was changed in the meantime");
    expect(await readTitles(console, "undo-conflict")).toEqual(["Theirs"]);
  });

  test.each(SIZES)("orders strategies with the menu on a %s", async (size) => {
    const flag = `ordered-${size}`;
    await createFlag(console, flag, titled("One", "Two", "Three"));
    const page = await console.open(`/projects/default/flags/${flag}`, { size });
    await runAction(page, "Three", "Move up");
    await expect.poll(() => readTitles(console, flag)).toEqual(["One", "Three", "Two"]);
    await runAction(page, "One", "Move down");
    await expect.poll(() => readTitles(console, flag)).toEqual(["Three", "One", "Two"]);
    const rows = environmentOf(page).getByRole("grid").getByRole("row");
    await expect.poll(() => rows.first().textContent()).toContain("Three");
  });

  test("orders strategies with the keyboard", async () => {
    await createFlag(console, "keyboard", titled("One", "Two", "Three"));
    const page = await console.open("/projects/default/flags/keyboard");
    await page.getByRole("button", { name: "Drag One" }).focus();
    await page.keyboard.press("Enter");
    await page.getByText("Started dragging").waitFor({ state: "attached" });
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    await expect.poll(() => readTitles(console, "keyboard")).not.toEqual(["One", "Two", "Three"]);
    expect((await readTitles(console, "keyboard"))[0]).toBe("Two");
  });

  test("orders strategies by dragging", async () => {
    await createFlag(console, "dragged", titled("One", "Two", "Three"));
    const page = await console.open("/projects/default/flags/dragged");
    const row = (name: string) => environmentOf(page).getByRole("row", { name });
    const box = await row("Three").boundingBox();
    await row("One").dragTo(row("Three"), {
      targetPosition: { x: 100, y: (box?.height ?? 0) - 2 },
    });
    await expect.poll(() => readTitles(console, "dragged")).toEqual(["Two", "Three", "One"]);
  });

  test.each([
    ["Disable", "Disabled the strategy"],
    ["Delete", "Deleted the strategy"],
  ])("Undo of %s does not turn on a flag that another strategy kept on", async (action, done) => {
    const flag = `kept-on-${action.toLowerCase()}`;
    const environment = `/projects/default/features/${flag}/environments/development`;
    await createFlag(console, flag, titled("Friends", "Others"));
    await console.admin("POST", `${environment}/on`);
    const page = await console.open(`/projects/default/flags/${flag}`);
    await runAction(page, "Friends", action);
    if (action === "Delete") await confirm(page, "In development", "Delete");
    const message = await waitForMessage(page, done);
    // Somebody else turns the flag off.
    await console.admin("POST", `${environment}/off`);
    await message.getByRole("button", { name: "Undo" }).click();
    await expect
      .poll(() => readStrategies(console, flag))
      .toMatchObject([
        { title: "Friends", disabled: false },
        { title: "Others", disabled: false },
      ]);
    // Whatever Undo sends has been sent before this.
    await runAction(page, "Others", "Copy to production");
    await confirm(page, "The flag is off in production", "Copy");
    await waitForMessage(page, "Copied the strategy to production");
    expect(await console.admin("GET", environment)).toMatchObject({ enabled: false });
  });

  test("disables, duplicates, copies and deletes strategies, and undoes it", async () => {
    await createFlag(console, "many-actions", [
      { name: "userWithId", title: "Friends", parameters: { userIds: "anna" } },
    ]);
    await console.admin(
      "POST",
      "/projects/default/features/many-actions/environments/development/on",
    );
    const isOn = async () => {
      const state = await console.admin(
        "GET",
        "/projects/default/features/many-actions/environments/development",
      );
      return (state as { readonly enabled: boolean }).enabled;
    };
    const page = await console.open("/projects/default/flags/many-actions");

    await runAction(page, "Friends", "Disable");
    const disabled = await waitForMessage(page, "Disabled the strategy");
    expect(await readStrategies(console, "many-actions")).toMatchObject([{ disabled: true }]);
    expect(await isOn()).toBe(false);
    await disabled.getByRole("button", { name: "Undo" }).click();
    await expect.poll(isOn).toBe(true);
    expect(await readStrategies(console, "many-actions")).toMatchObject([{ disabled: false }]);

    await runAction(page, "Friends", "Copy to production");
    await confirm(page, "The flag is off in production", "Copy");
    await waitForMessage(page, "Copied the strategy to production");
    expect(await readStrategies(console, "many-actions", "production")).toMatchObject([
      { title: "Friends", parameters: { userIds: "anna" } },
    ]);

    const deleteButton = environmentOf(page);
    await deleteButton.getByRole("button", { name: "More actions for Friends" }).click();
    await page.getByRole("menuitem", { name: "Delete" }).click();
    await confirm(page, "The last active strategy: this turns the flag off", "Delete");
    const deleted = await waitForMessage(page, "Deleted the strategy from development");
    expect(await readStrategies(console, "many-actions")).toEqual([]);
    await deleted.getByRole("button", { name: "Undo" }).click();
    await expect.poll(isOn).toBe(true);
    expect(await readTitles(console, "many-actions")).toEqual(["Friends"]);

    await environmentOf(page).getByText("Friends").waitFor();
    await deleteButton.getByRole("button", { name: "More actions for Friends" }).click();
    await page.getByRole("menuitem", { name: "Duplicate" }).click();
    await waitForMessage(page, "Duplicated the strategy");
    expect(await readTitles(console, "many-actions")).toEqual(["Friends", "Friends"]);
  });
});

/** Whether no other part of the page covers the top and the bottom of an element. */
function isShown(locator: Locator): Promise<boolean> {
  return locator.evaluate((element) => {
    const { left, top, bottom } = element.getBoundingClientRect();
    return [top + 2, bottom - 2].every((y) =>
      element.contains(document.elementFromPoint(left + 20, y)),
    );
  });
}
