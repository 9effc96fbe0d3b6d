import type { Locator, Page } from "playwright-core";
import { expect, test } from "vitest";
import { choose, confirm } from "./_actions.ts";
import { clickControl, describeConsole, expectAccessible, SIZES } from "./_console.ts";
import { flagsOn, waitForMessage } from "./_flags.ts";
import { createFlag, environmentOf, readStrategies } from "./_strategies.ts";

describeConsole("restoring a flag", (console) => {
  const percent = (rollout: string) => ({
    name: "flexibleRollout",
    parameters: { rollout, stickiness: "default" },
  });
  const setApprovals = (requiredApprovals: number | null) =>
    console.admin("PUT", "/environments/update/production", { requiredApprovals });
  const rolloutOf = async (flag: string) =>
    (await readStrategies(console, flag, "production"))[0]?.parameters["rollout"];

  /** Creates a flag that is on for 25% in production, and then changes it in both environments. */
  const createChanged = async (flag: string): Promise<void> => {
    await createFlag(console, flag, [percent("25")], "production");
    const at = `/projects/default/features/${flag}`;
    await console.admin("POST", `${at}/environments/production/on`);
    const [strategy] = await readStrategies(console, flag, "production");
    await console.admin(
      "PUT",
      `${at}/environments/production/strategies/${strategy?.id ?? ""}`,
      percent("80"),
    );
    await console.admin("POST", `${at}/environments/development/on`);
    await console.admin("PUT", at, { description: "Changed", type: "release" });
  };

  const open = (flag: string, size?: (typeof SIZES)[number]): Promise<Page> =>
    console.open(`/projects/default/flags/${flag}?tab=history`, size && { size });

  /** Opens a dialog from the menu of an entry of the history. */
  const openDialog = async (page: Page, entry: string, action: string): Promise<Locator> => {
    const row = page.locator(".event", { hasText: entry });
    await row.getByRole("button", { name: "Restore" }).click();
    await page.getByRole("menuitem", { name: action }).click();
    return page.getByRole("dialog");
  };

  test.each(SIZES)(
    "goes back to before a change, after it has shown what changes, on a %s",
    async (size) => {
      const flag = `changed-${size}`;
      await createChanged(flag);
      const page = await open(flag, size);
      const dialog = await openDialog(page, "changed a strategy", "Go back to before this change…");
      await dialog
        .getByText(`Change a strategy (Gradual rollout) of ${flag} in production`)
        .waitFor();
      await dialog.getByRole("row").filter({ hasText: "80" }).filter({ hasText: "25" }).waitFor();
      await dialog.getByText(`This changes at once who gets ${flag} in production.`).waitFor();
      expect(await rolloutOf(flag)).toBe("80");
      await expectAccessible(page);
      await choose(dialog, "Where", "Everywhere");
      await dialog.getByText(`Change the settings of ${flag}`).waitFor();
      await dialog.getByText(`Turn off ${flag} in development`).waitFor();
      await choose(dialog, "Where", "Only production");
      await dialog.getByText(`Change the settings of ${flag}`).waitFor({ state: "detached" });
      await dialog.getByRole("button", { name: "Restore", exact: true }).click();
      await waitForMessage(page, `Restored an earlier version of ${flag}`);
      expect(await rolloutOf(flag)).toBe("25");
      expect(await flagsOn(console, "default")).toContain(flag);
      await page.getByText(`restored an earlier state of ${flag}`).waitFor();
      await expectAccessible(page);

      await page.reload();
      const first = await openDialog(page, `created the flag ${flag}`, "Restore this version…");
      await first
        .getByText(`Remove a strategy (Gradual rollout) from ${flag} in production`)
        .waitFor();
      await first.getByRole("button", { name: "Restore", exact: true }).click();
      await waitForMessage(page, `Restored an earlier version of ${flag}`);
      expect(await readStrategies(console, flag, "production")).toEqual([]);
      expect(await flagsOn(console, "default")).not.toContain(flag);
    },
  );

  test("says that it stops the rollout plan", async () => {
    await createChanged("in-steps");
    const [strategy] = await readStrategies(console, "in-steps", "production");
    await console.admin(
      "PUT",
      `/projects/default/features/in-steps/environments/production/strategies/${strategy?.id ?? ""}/rollout-plan`,
      {
        steps: [
          { rollout: 80, holdMinutes: 60 },
          { rollout: 100, holdMinutes: null },
        ],
      },
    );
    const page = await open("in-steps");
    const dialog = await openDialog(page, "changed a strategy", "Go back to before this change…");
    await dialog
      .getByText("This stops the rollout plan of the strategy, which is at step 1.")
      .waitFor();
    expect(await dialog.getByText("Somebody has edited").count()).toBe(0);
  });

  test("requests it where changes require an approval, and names what the request does not contain", async () => {
    await setApprovals(null);
    await createChanged("guarded");
    await setApprovals(1);
    const page = await open("guarded");
    const dialog = await openDialog(page, "changed a strategy", "Go back to before this change…");
    await choose(dialog, "Where", "Everywhere");
    await dialog.getByText("The change request does not contain these changes").waitFor();
    await dialog.getByText("Changes in production require 1 approval.").waitFor();
    await expectAccessible(page);
    await dialog.getByRole("button", { name: "Add to change request" }).click();
    await waitForMessage(page, "Added to your change request for production");
    expect(await rolloutOf("guarded")).toBe("80");
    await setApprovals(null);
    await page
      .getByRole("link", { name: "Review and send" })
      .or(page.getByRole("link", { name: "Apply or schedule" }))
      .click();
    await page.getByText("Change a strategy (Gradual rollout) of guarded").waitFor();
    await page.reload();
    await page.getByRole("button", { name: "Apply", exact: true }).click();
    await confirm(page, "take effect at once", "Apply");
    await waitForMessage(page, "Applied");
    expect(await rolloutOf("guarded")).toBe("25");
    const request = page.url();
    expect(await flagsOn(console, "default")).toContain("guarded");

    // The history says which request it was.
    await page.goto(`${console.url}/projects/default/flags/guarded?tab=history`);
    const entry = page.locator(".event", { hasText: "changed a strategy" }).first();
    await entry.getByRole("link", { name: /^Change request #\d+$/ }).click();
    await page.getByRole("heading", { level: 1, name: /^Change request #/ }).waitFor();
    expect(page.url()).toBe(request);
  });

  test("an archived flag is revived as it was", async () => {
    await setApprovals(null);
    await createChanged("revived");
    await console.admin("DELETE", "/projects/default/features/revived");
    const page = await open("revived");
    const dialog = await openDialog(page, "archived revived", "Go back to before this change…");
    await dialog.getByText("Revive revived from the archive").waitFor();
    await expectAccessible(page);
    await dialog.getByRole("button", { name: "Restore", exact: true }).click();
    await waitForMessage(page, "Restored an earlier version of revived");
    await page.getByRole("tab", { name: "Environments" }).click();
    await clickControl(environmentOf(page, "production").getByRole("switch", { name: "On" }));
    await confirm(page, "off for everyone", "Turn off");
  });
});
