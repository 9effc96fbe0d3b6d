import { expect, test } from "vitest";
import { switchFlag } from "../../admin/test/_flags.ts";
import { choose, confirm } from "./_actions.ts";
import { clickControl, describeConsole, expectAccessible, SIZES } from "./_console.ts";
import { flagsOn, switchOf, waitForMessage } from "./_flags.ts";
import { createFlag, environmentOf, readStrategies, runAction } from "./_strategies.ts";

describeConsole("changes in production", (console) => {
  const percent = (rollout: string) => ({
    name: "flexibleRollout",
    parameters: { rollout, stickiness: "default" },
  });
  const turnOn = (flag: string) =>
    switchFlag(console, flag, { environment: "production", on: true });

  test.each(SIZES)("the list asks before a flag is switched, on a %s", async (size) => {
    const flag = `asked-${size}`;
    await createFlag(console, flag, [percent("25")], "production");
    const page = await console.open(`/projects/default/flags?query=${flag}`, { size });
    await clickControl(switchOf(page, flag, "production"));
    const dialog = page.getByRole("dialog", { name: `Turn on ${flag} in production?` });
    await dialog.getByText("This turns the flag on for 25% of users in production.").waitFor();
    await expectAccessible(page);
    await dialog.getByRole("button", { name: "Cancel" }).click();
    await dialog.waitFor({ state: "detached" });
    expect(await switchOf(page, flag, "production").isChecked()).toBe(false);
    expect(await flagsOn(console, "default", "production")).not.toContain(flag);

    await page.keyboard.press("Space");
    await confirm(page, "25% of users", "Turn on");
    await waitForMessage(page, `${flag} is now on in production`);
    expect(await flagsOn(console, "default", "production")).toContain(flag);

    // Where nothing is at stake, nothing is asked.
    await clickControl(switchOf(page, flag));
    await waitForMessage(page, `${flag} is now on in development`);
  });

  test.each(SIZES)("a strategy says what its change does to whom, on a %s", async (size) => {
    const flag = `consequences-${size}`;
    await createFlag(console, flag, [percent("25")], "production");
    await turnOn(flag);
    const page = await console.open(`/projects/default/flags/${flag}`, { size });
    const production = environmentOf(page, "production");
    await production.getByRole("button", { name: "Add strategy" }).click();
    const form = page.getByRole("dialog", { name: "New strategy in production" });
    const consequence = "this turns the flag on for everyone, instead of for 25% of users.";
    await form.getByText(consequence).waitFor();
    await expectAccessible(page);
    await form.getByRole("button", { name: "Add strategy" }).click();
    const added = await waitForMessage(page, "Added a strategy in production");
    expect(await readStrategies(console, flag, "production")).toHaveLength(2);
    await added.getByRole("button", { name: "Undo" }).click();
    await expect
      .poll(() => readStrategies(console, flag, "production"))
      .toMatchObject([{ parameters: { rollout: "25" } }]);
    await production.getByRole("button", { name: "Add strategy" }).click();
    await form.getByRole("button", { name: "Add strategy" }).click();
    await waitForMessage(page, "Added a strategy in production");
    expect(await readStrategies(console, flag, "production")).toHaveLength(2);

    const [first] = await readStrategies(console, flag, "production");
    await console.admin(
      "DELETE",
      `/projects/default/features/${flag}/environments/production/strategies/${first?.id ?? ""}`,
    );
    await expect.poll(() => production.getByRole("row").count()).toBe(1);
    await runAction(page, "Gradual rollout", "Delete");
    await confirm(page, "The last active strategy: this turns the flag off for everyone", "Cancel");
    expect(await readStrategies(console, flag, "production")).toHaveLength(1);
    await page.getByRole("dialog").waitFor({ state: "detached" });

    await runAction(page, "Gradual rollout", "Delete");
    await confirm(page, "The last active strategy: this turns the flag off for everyone", "Delete");
    const deleted = await waitForMessage(page, "Deleted the strategy from production");
    expect(await flagsOn(console, "default", "production")).not.toContain(flag);
    await deleted.getByRole("button", { name: "Undo" }).click();
    await expect.poll(() => flagsOn(console, "default", "production")).toContain(flag);
  });

  test("a flag that has strategies only elsewhere is turned on for the same people", async () => {
    await createFlag(console, "copied", [percent("10")]);
    const page = await console.open("/projects/default/flags/copied");
    const production = environmentOf(page, "production").getByRole("switch");
    const dialog = page.getByRole("dialog", { name: "Turn on copied in production?" });
    await clickControl(production);
    await choose(dialog, "Audience", "As in development: for 10% of users");
    await dialog.getByRole("button", { name: "Turn on" }).click();
    const message = await waitForMessage(page, "copied is now on in production");
    const [strategy, ...others] = await readStrategies(console, "copied", "production");
    expect(strategy).toMatchObject({ parameters: { rollout: "10" } });
    expect(others).toEqual([]);
    expect(await flagsOn(console, "default", "production")).toContain("copied");
    await message.getByRole("button", { name: "Undo" }).click();
    await expect.poll(() => flagsOn(console, "default", "production")).not.toContain("copied");
    expect(await readStrategies(console, "copied", "production")).toEqual([]);

    await clickControl(production);
    await choose(dialog, "Audience", "A new strategy: for everyone");
    await dialog.getByRole("button", { name: "Schedule instead" }).click();
    await waitForMessage(page, "Added to your change request for production");
    expect(await readStrategies(console, "copied", "production")).toEqual([]);
  });

  test("a segment, a dependency and another page", async () => {
    const segment = (await console.admin("POST", "/segments", {
      name: "asked-segment",
      constraints: [],
    })) as { readonly id: number };
    await createFlag(
      console,
      "asked-child",
      [{ name: "default", segments: [segment.id] }],
      "production",
    );
    await createFlag(console, "asked-parent");
    await turnOn("asked-child");
    await console.admin("POST", "/projects/default/features/asked-child/dependencies", {
      feature: "asked-parent",
    });
    const page = await console.open("/projects/default/flags/asked-child");
    await page.getByText("Off unless asked-parent").click();
    await page.getByRole("button", { name: "Remove", exact: true }).click();
    const dialog = page.getByRole("dialog", { name: "Remove the dependency of asked-child?" });
    await dialog.getByText("In production, only the strategies of the flag then decide").waitFor();
    // Another page does not keep the question.
    await page.goBack();
    await page.goForward();
    await page.getByRole("heading", { name: "asked-child", level: 1 }).waitFor();
    expect(await dialog.count()).toBe(0);

    await page.goto(`${console.url}/segments`);
    await page.getByRole("button", { name: "Actions for asked-segment" }).click();
    await page.getByRole("menuitem", { name: "Edit" }).click();
    await page
      .getByRole("dialog", { name: "asked-segment" })
      .getByText("This changes at once who gets asked-child in production.")
      .waitFor();
  });
});
