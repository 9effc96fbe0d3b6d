import type { Page } from "playwright-core";
import { beforeAll, expect, test } from "vitest";
import { applyDue } from "../../admin/src/change-requests/apply-scheduled.ts";
import { createUser, logIn, PASSWORD } from "../../admin/test/_accounts.ts";
import { collectErrors } from "../../admin/test/_service.ts";
import { confirm, field } from "./_actions.ts";
import { clickControl, describeConsole, expectAccessible, type Size, SIZES } from "./_console.ts";
import { flagsOn, waitForMessage } from "./_flags.ts";
import { createFlag, environmentOf, readStrategies } from "./_strategies.ts";

/** Requests that are refused on purpose are in the log of the browser. */
const REFUSALS = /status of 4\d\d/;

describeConsole("change requests", (console) => {
  const LIST = "/projects/default/change-requests";
  const percent = (rollout: string) => ({
    name: "flexibleRollout",
    parameters: { rollout, stickiness: "default" },
  });
  const setApprovals = (requiredApprovals: number | null) =>
    console.admin("PUT", "/environments/update/production", { requiredApprovals });

  beforeAll(async () => {
    await createUser(console, "ann", "Editor");
    await createUser(console, "bob", "Editor");
  });

  /** Creates a flag with a strategy in production, where changes require an approval from then on. */
  const createProtected = async (flag: string): Promise<void> => {
    await setApprovals(null);
    await createFlag(console, flag, [percent("25")], "production");
    await setApprovals(1);
  };

  /** Opens a page in a browser of somebody who signs in with a password. */
  const openAs = async (user: string, path: string, size: Size = "desktop"): Promise<Page> => {
    const page = await console.openSignedOut(path, { size, expected: REFUSALS });
    await field(page, "User name or email address").fill(user);
    await page.getByLabel("Password", { exact: true }).fill(PASSWORD);
    await page.keyboard.press("Enter");
    await page.getByRole("main").waitFor();
    await page.getByRole("button", { name: "Account" }).waitFor();
    return page;
  };

  /** Does something through the API in the name of somebody. */
  const as = async (user: string, method: string, path: string, body?: unknown) => {
    const response = await console.request(`/api/admin${path}`, {
      method,
      headers: await logIn(console, user),
      body,
    });
    const text = await response.text();
    expect([response.status, text]).toEqual([200, text]);
    return (text === "" ? undefined : JSON.parse(text)) as { readonly id: number };
  };

  const press = (page: Page, name: string) =>
    page.getByRole("button", { name, exact: true }).click();

  test.each(SIZES)(
    "somebody requests changes, somebody else comments on and approves them, on a %s",
    async (size) => {
      const flag = `requested-${size}`;
      await createProtected(flag);
      const ann = await openAs("ann", `/projects/default/flags/${flag}`, size);
      const production = environmentOf(ann, "production");
      await clickControl(production.getByRole("switch"));
      await waitForMessage(ann, "Added to your change request for production");
      expect(await production.getByRole("switch").isChecked()).toBe(false);
      await production.getByRole("button", { name: "Add strategy" }).click();
      const form = ann.getByRole("dialog", { name: "New strategy in production" });
      await form.getByText("Changes in production require 1 approval.").waitFor();
      await expectAccessible(ann);
      await form.getByRole("button", { name: "Add to change request" }).click();
      await ann.getByText("has 2 changes").waitFor();
      await expectAccessible(ann);
      expect(await readStrategies(console, flag, "production")).toHaveLength(1);

      await ann.getByRole("link", { name: "Review and send" }).click();
      await ann.getByText(`Turn on ${flag} in production`).waitFor();
      await expectAccessible(ann);
      await press(ann, "Send to review");
      const sending = ann.getByRole("dialog", { name: "Send to review" });
      await field(sending, "Title").fill(`Launch ${flag}`);
      await clickControl(sending.getByRole("checkbox", { name: "bob" }));
      await expectAccessible(ann);
      await sending.getByRole("button", { name: "Send" }).click();
      await waitForMessage(ann, "Sent to review");

      const bob = await openAs("bob", "/", size);
      await bob.getByRole("link", { name: "1 change request waits for you" }).click();
      await bob.getByRole("link", { name: `Launch ${flag}` }).waitFor();
      await expectAccessible(bob);
      await bob.getByRole("link", { name: `Launch ${flag}` }).click();
      await field(bob, "Your comment").fill("Are the metrics ready?");
      await press(bob, "Comment");
      await bob.getByRole("listitem").filter({ hasText: "Are the metrics ready?" }).waitFor();
      await press(bob, "Approve");
      await confirm(bob, "It then has all approvals", "Approve");
      await waitForMessage(bob, "Approved");
      await expectAccessible(bob);
      await expect.poll(() => bob.getByRole("link", { name: /waits for you/ }).count()).toBe(0);
      await bob.getByRole("button", { name: "Apply", exact: true }).waitFor();
      expect(await bob.getByRole("button", { name: "Approve", exact: true }).count()).toBe(0);

      // Ann's page follows.
      await ann.getByText("Are the metrics ready?").waitFor();
      await press(ann, "Apply");
      await confirm(ann, "take effect at once", "Apply");
      await waitForMessage(ann, "Applied");
      await ann.getByRole("list", { name: "Reviews" }).getByText("by bob").waitFor();
      // The requirement may be another one by now.
      await ann.getByText("required approval").waitFor({ state: "detached" });
      expect(await flagsOn(console, "default", "production")).toContain(flag);
      expect(await readStrategies(console, flag, "production")).toHaveLength(2);
      await ann.getByRole("link", { name: "Change requests", exact: true }).first().click();
      await ann.getByRole("tab", { name: "Closed" }).click();
      await ann.getByRole("link", { name: `Launch ${flag}` }).waitFor();
      await expectAccessible(ann);
    },
  );

  test("a flag is turned off at once, with a reason", async () => {
    await createProtected("urgent");
    await setApprovals(null);
    await console.admin("POST", "/projects/default/features/urgent/environments/production/on");
    await setApprovals(1);
    const page = await openAs("ann", "/projects/default/flags/urgent");
    const production = environmentOf(page, "production");
    await clickControl(production.getByRole("switch", { name: "On" }));
    const dialog = page.getByRole("dialog", { name: "Turn off urgent in production?" });
    await dialog.getByRole("button", { name: "Add to change request" }).waitFor();
    await expectAccessible(page);
    await dialog.getByRole("button", { name: "Turn off now" }).click();
    await dialog.getByText("Enter a reason.").waitFor();
    expect(await flagsOn(console, "default", "production")).toContain("urgent");
    await field(dialog, "Reason").fill("Payments fail");
    await dialog.getByRole("button", { name: "Turn off now" }).click();
    await waitForMessage(page, "urgent is now off in production");
    expect(await flagsOn(console, "default", "production")).not.toContain("urgent");
    const { events } = (await console.admin(
      "GET",
      "/search/events?type=IS:feature-environment-disabled-without-approval",
    )) as { readonly events: readonly unknown[] };
    expect(events).toMatchObject([{ createdBy: "ann", data: { reason: "Payments fail" } }]);
  });

  test("a conflict shows both versions, and a schedule is made, mentioned and ended", async () => {
    await createProtected("contested");
    const [strategy] = await readStrategies(console, "contested", "production");
    const at = "/projects/default/features/contested/environments/production";
    const { id } = await as(
      "ann",
      "POST",
      "/projects/default/environments/production/change-requests",
      {
        feature: "contested",
        action: "updateStrategy",
        payload: { id: strategy?.id, ...percent("75") },
      },
    );
    const state = { state: "In review" };
    await as("ann", "PUT", `${LIST}/${id}/state`, state);
    await as("bob", "PUT", `${LIST}/${id}/state`, { state: "Approved" });
    await setApprovals(null);
    await console.admin("PUT", `${at}/strategies/${strategy?.id ?? ""}`, percent("30"));
    await setApprovals(1);

    const page = await openAs("ann", `${LIST}/${id}`);
    const row = page.getByRole("row").filter({ hasText: "30" }).filter({ hasText: "25" });
    await row.waitFor();
    await expectAccessible(page);
    await press(page, "Request it again");
    await waitForMessage(page, "The change is now based on the current state");
    await as("bob", "PUT", `${LIST}/${id}/state`, { state: "Approved" });

    await press(page, "Schedule");
    const dialog = page.getByRole("dialog", { name: "Schedule the request" });
    await dialog.getByText("UTC").waitFor();
    await expectAccessible(page);
    await dialog.getByRole("button", { name: "Schedule" }).click();
    await waitForMessage(page, "Scheduled for");
    await page.getByText("in the name of ann").waitFor();
    expect(await console.admin("GET", `${LIST}/${id}`)).toMatchObject({
      state: "Scheduled",
      schedule: { status: "pending" },
    });

    await setApprovals(null);
    await page.goto(`${console.url}/projects/default/flags/contested`);
    await page.getByRole("list", { name: "Requested changes of this flag" }).waitFor();
    await expectAccessible(page);
    await clickControl(environmentOf(page, "production").getByRole("switch"));
    await confirm(page, "1 change of this flag is scheduled for", "Schedule instead");
    await waitForMessage(page, "Added to your change request for production");
    expect(await flagsOn(console, "default", "production")).not.toContain("contested");
    await page.getByRole("link", { name: "Apply or schedule" }).click();
    await press(page, "More actions");
    await page.getByRole("menuitem", { name: "Delete the draft…" }).click();
    await confirm(page, "Nothing that it contains", "Delete");
    await page.getByRole("heading", { name: "Change requests", level: 1 }).waitFor();
    await setApprovals(1);

    await page.getByRole("link", { name: `Change request #${id}` }).click();
    await press(page, "More actions");
    await page.getByRole("menuitem", { name: "End the schedule…" }).click();
    await confirm(page, "keeps its approvals", "End the schedule");
    await waitForMessage(page, "The schedule has ended");
    expect(await console.admin("GET", `${LIST}/${id}`)).toMatchObject({ state: "Approved" });
  });

  test("a scheduled request is sent to review where approvals have been turned on since", async () => {
    await setApprovals(null);
    await createFlag(console, "protected-later", [percent("25")], "production");
    const { id } = await as(
      "ann",
      "POST",
      "/projects/default/environments/production/change-requests",
      { feature: "protected-later", action: "updateEnabled", payload: { enabled: true } },
    );
    const scheduledAt = new Date(Date.now() + 3_600_000).toISOString();
    await as("ann", "PUT", `${LIST}/${id}/state`, { state: "Scheduled", scheduledAt });
    await setApprovals(1);
    const page = await openAs("ann", "/projects/default/flags/protected-later");
    await page
      .getByRole("list", { name: "Requested changes of this flag" })
      .getByText("needs 1 approval")
      .waitFor();
    await page
      .getByRole("link", { name: `Change request #${id}` })
      .first()
      .click();
    await page.getByText("but will not be applied before it has 1 approval").waitFor();
    expect(await page.getByText("It is applied on").count()).toBe(0);
    await page.getByRole("button", { name: "Send to review" }).waitFor();
    await expectAccessible(page);
    await press(page, "More actions");
    await page.getByRole("menuitem", { name: "End the schedule…" }).click();
    await page.getByText("in review: it has 0 of 1 required approvals").waitFor();
    await page.keyboard.press("Escape");
    const clock = async () => new Date(scheduledAt);
    await applyDue({ storage: console.storage, logger: collectErrors([]), clock });
    // The page follows.
    await page
      .getByText("Changes in production now require 1 approval: send the request to review.")
      .waitFor();
    await press(page, "Send to review");
    const dialog = page.getByRole("dialog", { name: "Send to review" });
    await dialog.getByText("This ends the schedule").waitFor();
    await expectAccessible(page);
    await dialog.getByRole("button", { name: "Send" }).click();
    await waitForMessage(page, "Sent to review");
    await as("bob", "PUT", `${LIST}/${id}/state`, { state: "Approved" });
    await page.getByRole("button", { name: "Schedule", exact: true }).waitFor();
  });

  test("turning approvals on says what happens to the requests that are open", async () => {
    await console.admin("POST", "/environments", { name: "staging", type: "test" });
    await console.admin("POST", "/projects", { id: "staged", name: "Staged" });
    await console.admin("POST", "/projects/staged/features", { name: "staged-flag" });
    const requests = "/projects/staged/change-requests";
    const request = async (user: string) => {
      const change = {
        feature: "staged-flag",
        action: "updateEnabled",
        payload: { enabled: true },
      };
      return as(user, "POST", "/projects/staged/environments/staging/change-requests", change);
    };
    const { id: reviewed } = await request("bob");
    await as("bob", "PUT", `${requests}/${reviewed}/state`, { state: "In review" });
    const { id: scheduled } = await request("ann");
    const scheduledAt = new Date(Date.now() + 3_600_000).toISOString();
    await as("ann", "PUT", `${requests}/${scheduled}/state`, { state: "Scheduled", scheduledAt });

    const page = await console.open("/environments");
    await press(page, "Actions for staging");
    await page.getByRole("menuitem", { name: "Edit" }).click();
    const dialog = page.getByRole("dialog", { name: "Edit staging" });
    await dialog.getByRole("button", { name: "Protection" }).press("Enter");
    await page.getByRole("option", { name: "Approvals" }).click();
    await dialog
      .getByText("2 change requests for staging are open, and cannot be applied without 1 approval")
      .waitFor();
    await dialog.getByText("1 of them is scheduled: without 1 approval at the time").waitFor();
    await expectAccessible(page);

    await page.goto(`${console.url}/projects/staged/settings`);
    await press(page, "Required approvals in staging");
    const required = page.getByRole("dialog", { name: "Required approvals in staging" });
    expect(await required.getByText("change requests for staging").count()).toBe(0);
    await clickControl(required.getByRole("checkbox", { name: "Changes require approvals" }));
    await required.getByLabel("Number of approvals").fill("2");
    await required.getByLabel("Number of approvals").press("Tab");
    await required.getByText("cannot be applied without 2 approvals").waitFor();
    await expectAccessible(page);
  });

  test("closed requests are loaded page by page", async () => {
    await setApprovals(null);
    await console.admin("POST", "/projects", { id: "old", name: "Old requests" });
    await console.admin("POST", "/projects/old/features", { name: "often-requested" });
    for (let index = 0; index < 26; index += 1) {
      // oxlint-disable-next-line no-await-in-loop -- in this order
      const { id } = (await console.admin(
        "POST",
        "/projects/old/environments/production/change-requests",
        { feature: "often-requested", action: "updateEnabled", payload: { enabled: true } },
      )) as { readonly id: number };
      const state = `/projects/old/change-requests/${id}/state`;
      // oxlint-disable-next-line no-await-in-loop -- in this order
      await console.admin("PUT", state, { state: "Cancelled" });
    }
    const page = await console.open("/projects/old/change-requests");
    await page.getByText("This project has no open change requests").waitFor();
    await page.getByRole("tab", { name: "Closed" }).click();
    const rows = page.getByRole("table", { name: "Change requests" }).locator("tbody tr");
    await rows.first().waitFor();
    expect(await rows.count()).toBe(25);
    await expectAccessible(page);
    await press(page, "Show more");
    await expect.poll(() => rows.count()).toBe(26);
    expect(await page.getByRole("button", { name: "Show more" }).count()).toBe(0);
  });

  test("an admin sets how an environment is protected, and an owner of a project requires more", async () => {
    await setApprovals(null);
    const page = await console.open("/environments");
    await press(page, "Actions for development");
    await page.getByRole("menuitem", { name: "Edit" }).click();
    const dialog = page.getByRole("dialog", { name: "Edit development" });
    await dialog.getByRole("button", { name: "Protection" }).press("Enter");
    await page.getByRole("option", { name: "Approvals" }).click();
    await dialog.getByLabel("Required approvals").fill("2");
    await expectAccessible(page);
    await dialog.getByRole("button", { name: "Save" }).click();
    await waitForMessage(page, "Changed development");
    await page.getByText("2 approvals").waitFor();
    await expectAccessible(page);

    await page.goto(`${console.url}/projects/default/settings`);
    await press(page, "Required approvals in development");
    const required = page.getByRole("dialog", { name: "Required approvals in development" });
    await required.getByText("requires at least 2 in every project").waitFor();
    await required.getByLabel("Number of approvals").fill("3");
    await required.getByRole("button", { name: "Save" }).click();
    await waitForMessage(page, "Changes in development now require 3 approvals");
    await page.getByText("where changes require 3 approvals").waitFor();
    await expectAccessible(page);
    await console.admin("PUT", "/environments/update/development", { requiredApprovals: null });
    await console.admin(
      "PUT",
      "/projects/default/environments/development/change-requests/config",
      { changeRequestsEnabled: false },
    );
  });
});
