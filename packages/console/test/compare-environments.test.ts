import { expect, test } from "vitest";
import { expectAccessible, clickControl, describeConsole } from "./_console.ts";
import { waitForMessage } from "./_flags.ts";
import { createFlag, readStrategies } from "./_strategies.ts";

/** The sizes for which the page has a layout, in pixels. */
const WIDTHS = [390, 1024, 1440] as const;

describeConsole("comparing and copying environments", (console) => {
  const stateOf = async (flag: string, environment: string) => {
    const path = `/projects/default/features/${flag}/environments/${environment}`;
    return (await console.admin("GET", path)) as { readonly enabled: boolean };
  };

  test.each(WIDTHS)("shows differences in words, copies, and undoes at %i px", async (width) => {
    const flag = `compared-${width}`;
    const quarter = { name: "flexibleRollout", title: "Pilot", parameters: { rollout: "25" } };
    const plan = { contextName: "plan", operator: "IN", values: ["pro"] };
    await createFlag(console, flag, [
      { ...quarter, constraints: [plan] },
      { name: "userWithId", parameters: { userIds: "anna" } },
    ]);
    const path = `/projects/default/features/${flag}/environments`;
    await console.admin("POST", `${path}/production/strategies`, {
      ...quarter,
      parameters: { rollout: "5" },
    });
    await console.admin("POST", `${path}/development/on`);
    const page = await console.open(`/projects/default/flags/${flag}`);
    await page.setViewportSize({ width, height: 900 });
    await page.getByRole("button", { name: "Compare and copy" }).click();
    const dialog = page.getByRole("dialog", { name: `Compare environments of ${flag}` });
    await dialog.getByText("3 differences between development and production").waitFor();
    await dialog.getByText("For 25% of users whose plan is pro").waitFor();
    await dialog.getByText("Not in production").waitFor();
    const differences = dialog.locator(".event-differences tbody tr");
    expect(await differences.allInnerTexts()).toEqual([
      expect.stringMatching(/^percentage\s+25%\s+5%$/),
      expect.stringMatching(/^plan is one of\s+pro\s+nothing$/),
    ]);
    await expectAccessible(page);
    const hidden = await dialog
      .locator(".dialog-content")
      .evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth);
    expect(hidden).toBe(0);

    await dialog.getByRole("button", { name: "Copy development to production…" }).click();
    const copying = page.getByRole("dialog", { name: "Copy development to production" });
    await copying.getByText("production gets 2 strategies of development, instead of 1").waitFor();
    await clickControl(copying.getByRole("checkbox", { name: /^Also turn the flag on/ }));
    await copying
      .getByText(/This turns the flag on .*25% of users whose plan is pro.* in production/)
      .waitFor();
    await expectAccessible(page);
    await copying.getByRole("button", { name: "Copy", exact: true }).click();
    const copied = await waitForMessage(page, "Copied development to production");
    // The message would be below it.
    await dialog.waitFor({ state: "detached" });
    // Pointing at the message keeps it.
    await copied.hover();
    const stored = await readStrategies(console, flag, "production");
    const withoutIds = stored.map(({ id: _id, ...strategy }) => strategy);
    const source = await readStrategies(console, flag);
    expect(withoutIds).toEqual(source.map(({ id: _id, ...strategy }) => strategy));
    expect(await stateOf(flag, "production")).toMatchObject({ enabled: true });

    await copied.getByRole("button", { name: "Undo" }).click();
    await expect.poll(() => stateOf(flag, "production")).toMatchObject({ enabled: false });
    expect(await readStrategies(console, flag, "production")).toMatchObject([
      { title: "Pilot", parameters: { rollout: "5" } },
    ]);
    await page.getByRole("button", { name: "Compare and copy" }).click();
    await dialog.getByText("3 differences between development and production").waitFor();
  });
});
