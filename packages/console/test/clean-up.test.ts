import { sql } from "drizzle-orm";
import { expect, test } from "vitest";
import { examine } from "../../admin/src/lifecycle/examine-regularly.ts";
import { choose, rowNames, runAction } from "./_actions.ts";
import {
  clickControl,
  type Console,
  describeConsole,
  expectAccessible,
  SIZES,
} from "./_console.ts";
import { createProject, readFlags, waitForMessage } from "./_flags.ts";

const ENVIRONMENTS = [
  { name: "production", enabled: true, strategies: [{ name: "default" }] },
] as const;

interface Used {
  readonly daysAgo: number;
  readonly days?: number;
  readonly appName?: string;
}

/** Creates flags that are 80 days old, and reports of their use in production. */
async function createUsedFlags(
  console: Console,
  project: string,
  flags: Readonly<Record<string, Used>>,
): Promise<void> {
  const names = Object.keys(flags);
  await createProject(
    console,
    project,
    names.map((name) => ({ name, environments: ENVIRONMENTS })),
  );
  const { db } = console.storage;
  await db.execute(sql`update features set created_at = now() - interval '80 days'
    where project = ${project}`);
  for (const [name, { daysAgo, days = 35, appName = "shop" }] of Object.entries(flags)) {
    // oxlint-disable no-await-in-loop -- one after the other
    await db.execute(sql`
      insert into feature_usage_days (feature, environment, day, app_name, yes)
      select ${name}, 'production', date_trunc('day', now(), 'UTC') - ago * interval '24 hours', ${appName}, 1
      from generate_series(${daysAgo}::int, ${daysAgo + days - 1}::int) as ago`);
    await db.execute(sql`
      update feature_environments set last_seen_at = now() - make_interval(days => ${daysAgo})
      where feature = ${name} and environment = 'production'`);
    // oxlint-enable no-await-in-loop
  }
  await db.execute(sql`delete from stale_checks`);
  await examine({ storage: console.storage });
}

describeConsole("cleaning up", (console) => {
  test.each(SIZES)("archives flags, and warns of those that are used, on a %s", async (size) => {
    const project = `clean-${size}`;
    const [launched, gone, needed] = ["launched", "gone", "needed"].map(
      (name) => `${project}-${name}`,
    ) as [string, string, string];
    await createUsedFlags(console, project, {
      [launched]: { daysAgo: 0, days: 60 },
      [gone]: { daysAgo: 40, appName: "blog" },
      [needed]: { daysAgo: 0 },
    });
    const page = await console.open(`/projects/${project}`, { size });
    await page.getByRole("link", { name: "See why, and clean up" }).click();
    await page.getByRole("heading", { name: "Clean up", level: 1 }).waitFor();
    await expect.poll(() => rowNames(page, "Flags to clean up")).toEqual([gone, launched, needed]);
    const row = (name: string) => page.getByRole("row").filter({ hasText: name });
    await row(gone)
      .getByText(/^Not used since .*, 40 days past its lifetime/)
      .waitFor();
    await row(gone).getByText("by blog").waitFor();
    await row(launched)
      .getByText(/^On for everyone in production since /)
      .waitFor();
    await row(launched).getByText("Keep the enabled path").waitFor();
    await row(launched).getByText("still used").waitFor();
    await expectAccessible(page);

    await runAction(page, needed, "Snooze for 30 days");
    await waitForMessage(page, `${needed} is not reported as stale for 30 days`);
    await expect.poll(() => rowNames(page, "Flags to clean up")).toEqual([gone, launched]);

    for (const name of [gone, launched]) {
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      await clickControl(page.getByRole("checkbox", { name: `Select ${name}`, exact: true }));
    }
    const selection = page.getByRole("group", { name: "Selected flags" });
    await selection.getByRole("button", { name: "Snooze" }).press("Enter");
    await page.getByRole("menuitem", { name: "Snooze for 7 days" }).click();
    const snoozed = await waitForMessage(page, "2 flags are not reported as stale for 7 days");
    await page.getByText("Nothing to clean up").waitFor();
    await snoozed.getByRole("button", { name: "Undo" }).click();
    // One after the other, so the flags are listed again once both have been examined.
    const listed = async () => {
      await examine({ storage: console.storage });
      return rowNames(page, "Flags to clean up");
    };
    await expect.poll(listed, { timeout: 20_000 }).toEqual([gone, launched]);
    for (const name of [gone, launched]) {
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      await clickControl(page.getByRole("checkbox", { name: `Select ${name}`, exact: true }));
    }
    await expectAccessible(page);
    await selection.getByRole("button", { name: "Mark as stale" }).click();
    const reason = "Marked as stale by hand: mark";
    await selection.getByText(`${reason} them as active first`).waitFor();
    expect(await selection.getByRole("button", { name: "Snooze" }).isDisabled()).toBe(true);
    await page.getByRole("button", { name: `Actions for ${gone}`, exact: true }).press("Enter");
    await page
      .getByRole("menuitem", { name: "Snooze for 7 days" })
      .getByText(`${reason} it as active first`)
      .waitFor();
    await expectAccessible(page);
    await page.keyboard.press("Escape");
    await selection.getByRole("button", { name: "Archive…" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByText("Applications have used 1 flag in the last 7 days").waitFor();
    await dialog.getByText("by shop").waitFor();
    await expectAccessible(page);
    await dialog.getByRole("button", { name: "Archive", exact: true }).click();
    await waitForMessage(page, "Archived 2 flags");
    await page.getByText("Nothing to clean up").waitFor();
    expect((await readFlags(console, project)).map(({ name }) => name)).toEqual([needed]);
  });

  test("a flag says why it can be removed, and what can be done", async () => {
    await createUsedFlags(console, "reasons", { "reasons-launched": { daysAgo: 0, days: 60 } });
    const page = await console.open("/projects/reasons/flags?state=potentially-stale");
    await page.getByRole("link", { name: "reasons-launched", exact: true }).click();
    const note = page.getByText("This flag can probably be removed");
    await note.waitFor();
    await page.getByText("keep the enabled path and remove the flag").waitFor();
    await expectAccessible(page);
    await page.getByRole("button", { name: "Decide" }).click();
    await page.getByRole("menuitem", { name: "Keep for good" }).click();
    await page.getByText("Kept for good: never reported as stale").waitFor();
    expect(await note.count()).toBe(0);
    await page.getByRole("button", { name: "End", exact: true }).click();
    await waitForMessage(page, "can be reported as stale again");
    await examine({ storage: console.storage });
    await note.waitFor();
    await page.getByRole("button", { name: "More actions", exact: true }).click();
    await page.getByRole("menuitem", { name: "Archive…" }).click();
    await page.getByText("Applications have used this flag in the last 7 days").waitFor();
  });

  test("a flag is completed, and says what to keep", async () => {
    await createProject(console, "finished", [
      { name: "finished-flag", environments: ENVIRONMENTS },
    ]);
    const page = await console.open("/projects/finished/flags/finished-flag");
    await page.getByText("Not used yet").waitFor();
    const more = page.getByRole("button", { name: "More actions", exact: true });
    await more.click();
    await page.getByRole("menuitem", { name: "Complete…" }).click();
    const dialog = page.getByRole("dialog");
    await choose(dialog, "What stays in the code", "The disabled path");
    await expectAccessible(page);
    await dialog.getByRole("button", { name: "Complete", exact: true }).click();
    await page.getByText("Completed: its code is discarded").waitFor();
    await page.getByRole("link", { name: "Clean up", exact: true }).click();
    await page.getByText("Keep the disabled path").waitFor();
    await page.getByRole("link", { name: "finished-flag", exact: true }).click();
    await more.click();
    await page.getByRole("menuitem", { name: "No longer completed" }).click();
    await page.getByText("Not used yet").waitFor();
  });

  test("where changes require approvals, archiving is requested", async () => {
    await createUsedFlags(console, "guarded", { "guarded-flag": { daysAgo: 0, days: 60 } });
    await console.admin("PUT", "/projects/guarded/environments/production/change-requests/config", {
      changeRequestsEnabled: true,
      requiredApprovals: 1,
    });
    const page = await console.open("/projects/guarded/cleanup");
    await runAction(page, "guarded-flag", "Archive…");
    const dialog = page.getByRole("dialog");
    await dialog.getByText("this is added to a change request instead").waitFor();
    await dialog.getByRole("button", { name: "Archive", exact: true }).click();
    await waitForMessage(page, "change request");
    expect((await readFlags(console, "guarded")).map(({ name }) => name)).toEqual(["guarded-flag"]);
    const requests = await console.admin("GET", "/projects/guarded/change-requests");
    expect(JSON.stringify(requests)).toContain("guarded-flag");
  });

  test("admins change the lifetimes of types", async () => {
    const page = await console.open("/cleanup?tab=lifetimes");
    await runAction(page, "Experiment", "Change the lifetime…");
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Days").fill("90");
    await expectAccessible(page);
    await dialog.getByRole("button", { name: "Save" }).click();
    await page.getByRole("row").filter({ hasText: "Experiment" }).getByText("90 days").waitFor();
    const viewer = await console.open("/cleanup?tab=lifetimes", { role: "viewer" });
    await viewer.getByText("90 days").first().waitFor();
    expect(await viewer.getByRole("button", { name: /^Actions for/ }).count()).toBe(0);
  });
});
