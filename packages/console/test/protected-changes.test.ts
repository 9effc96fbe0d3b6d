import type { Page } from "playwright-core";
import { beforeAll, expect, test } from "vitest";
import { createUser, logIn } from "../../admin/test/_accounts.ts";
import { choose, field, runAction as runRowAction } from "./_actions.ts";
import { clickControl, describeConsole, expectAccessible, SIZES } from "./_console.ts";
import { createProject, flagsOn, switchOf, waitForMessage } from "./_flags.ts";
import { createFlag, environmentOf, readStrategies } from "./_strategies.ts";

const REQUESTS = "/projects/default/change-requests";

interface Requested {
  readonly id: number;
  readonly state: string;
  readonly features: readonly {
    readonly name: string;
    readonly changes: readonly { readonly action: string; readonly payload: unknown }[];
  }[];
  readonly segments: readonly { readonly action: string; readonly payload: unknown }[];
}

describeConsole("changes where approvals are required", (console) => {
  const percent = (rollout: string, more: object = {}) => ({
    name: "flexibleRollout",
    parameters: { rollout, stickiness: "default" },
    ...more,
  });
  const setApprovals = (requiredApprovals: number | null) =>
    console.admin("PUT", "/environments/update/production", { requiredApprovals });

  beforeAll(() => createUser(console, "ann", "Editor"));

  const createProtected = async (flag: string, strategies: readonly object[]): Promise<void> => {
    await setApprovals(null);
    await createFlag(console, flag, strategies as [], "production");
    await setApprovals(1);
  };

  const press = (page: Page, name: string) =>
    page.getByRole("button", { name, exact: true }).click();

  const readRequest = async (page: Page): Promise<Requested> => {
    const id = new URL(page.url()).pathname.split("/").at(-1) ?? "";
    return (await console.admin("GET", `${REQUESTS}/${id}`)) as Requested;
  };

  /** Opens the draft that the bar on a page is about. */
  const openDraft = async (page: Page): Promise<void> => {
    await page.getByRole("link", { name: "Review and send" }).click();
    await page.getByRole("button", { name: "Send to review" }).waitFor();
  };

  test("an owner applies a request without approval, with a reason", async () => {
    await createProtected("outage", [percent("10")]);
    const headers = await logIn(console, "ann");
    const requested = await console.request(
      "/api/admin/projects/default/environments/production/change-requests",
      {
        method: "POST",
        headers,
        body: { feature: "outage", action: "updateEnabled", payload: { enabled: true } },
      },
    );
    const { id } = (await requested.json()) as Requested;
    await console.request(`/api/admin${REQUESTS}/${id}/state`, {
      method: "PUT",
      headers,
      body: { state: "In review" },
    });
    const page = await console.open(`${REQUESTS}/${id}`);
    await press(page, "More actions");
    await page.getByRole("menuitem", { name: "Apply without approval…" }).click();
    const dialog = page.getByRole("dialog", { name: "Apply it without approval?" });
    await dialog.getByText("It has 0 of 1 required approvals.").waitFor();
    await expectAccessible(page);
    await dialog.getByRole("button", { name: "Apply without approval" }).click();
    expect(await flagsOn(console, "default", "production")).not.toContain("outage");
    await field(dialog, "Reason").fill("Customers cannot pay");
    await dialog.getByRole("button", { name: "Apply without approval" }).click();
    await waitForMessage(page, "Applied without approval");
    await page
      .getByText("applied it without the required approvals: “Customers cannot pay”")
      .waitFor();
    await page.getByText("It required 1 approval when it was applied.").waitFor();
    await expectAccessible(page);
    expect(await flagsOn(console, "default", "production")).toContain("outage");
    const { events } = (await console.admin(
      "GET",
      "/search/events?type=IS:change-request-applied-without-approval",
    )) as { readonly events: readonly unknown[] };
    expect(events).toMatchObject([{ data: { reason: "Customers cannot pay" } }]);
  });

  test("several flags and a segment are changed in one request", async () => {
    await setApprovals(null);
    const segment = (await console.admin("POST", "/segments", {
      name: "pilots",
      constraints: [],
    })) as { readonly id: number };
    await createFlag(console, "bulk-a", [percent("10", { segments: [segment.id] })], "production");
    await createFlag(console, "bulk-b", [percent("10")], "production");
    await console.admin("POST", "/projects/default/features/bulk-a/environments/production/on");
    await setApprovals(1);
    const page = await console.open("/projects/default/flags?query=bulk");
    for (const name of ["bulk-a", "bulk-b"]) {
      // oxlint-disable-next-line no-await-in-loop -- as people do
      await clickControl(page.getByRole("checkbox", { name: `Select ${name}` }));
    }
    await press(page, "Change 2 flags");
    await page
      .getByRole("group", { name: "production" })
      .getByRole("menuitem", { name: "Turn on" })
      .click();
    await waitForMessage(page, "Added to your change request for production");
    expect(await flagsOn(console, "default", "production")).not.toContain("bulk-b");

    await page.goto(`${console.url}/segments`);
    await runRowAction(page, "pilots", "Edit");
    const form = page.getByRole("dialog", { name: "pilots" });
    await form.getByRole("button", { name: "Add constraint" }).click();
    const constraint = form.getByRole("group", { name: "Constraint 1", exact: true });
    await constraint.getByRole("combobox", { name: "Context field" }).fill("userId");
    await page.keyboard.press("Tab");
    await field(constraint, "Values").fill("anna");
    await page.keyboard.press("Enter");
    await form.getByText("Changes in production require 1 approval.").waitFor();
    await expectAccessible(page);
    await form.getByRole("button", { name: "Add to change request" }).click();
    await waitForMessage(page, "Added to your change request for production");
    await page.goto(`${console.url}/projects/default/flags`);
    await openDraft(page);
    const request = await readRequest(page);
    expect(request.features.map(({ name }) => name)).toContain("bulk-b");
    expect(request.segments).toMatchObject([
      { action: "updateSegment", payload: { constraints: [{ values: ["anna"] }] } },
    ]);
    await page.getByText("Change the segment pilots").waitFor();
    await expectAccessible(page);
    await console.admin("DELETE", `${REQUESTS}/${request.id}`);
  });

  test.each(SIZES)(
    "turning on a flag that has strategies only elsewhere asks for whom, on a %s",
    async (size) => {
      const flag = `elsewhere-${size}`;
      await setApprovals(null);
      await createFlag(console, flag, [percent("10", { title: "Pilots" })]);
      await setApprovals(1);
      const page = await console.open(`/projects/default/flags?query=${flag}`, { size });
      await clickControl(switchOf(page, flag, "production"));
      const dialog = page.getByRole("dialog", { name: `Turn on ${flag} in production?` });
      await dialog.getByText(`The flag has no strategy in production.`).waitFor();
      await dialog.getByText("Changes in production require 1 approval.").waitFor();
      await expectAccessible(page);
      await dialog.getByRole("button", { name: "Add to change request" }).click();
      await dialog.getByText("Choose an audience.").waitFor();
      await choose(dialog, "Audience", "As in development: for 10% of users");
      await dialog.getByRole("button", { name: "Add to change request" }).click();
      await waitForMessage(page, "Added to your change request for production");
      await openDraft(page);
      const request = await readRequest(page);
      expect(request.features).toMatchObject([
        {
          name: flag,
          changes: [
            { action: "addStrategy", payload: { title: "Pilots", parameters: { rollout: "10" } } },
            { action: "updateEnabled", payload: { enabled: true } },
          ],
        },
      ]);
      await expectAccessible(page);
      await console.admin("DELETE", `${REQUESTS}/${request.id}`);

      await page.goto(`${console.url}/projects/default/flags/${flag}`);
      await environmentOf(page, "production").getByText("Turning it on asks for whom.").waitFor();
      await clickControl(environmentOf(page, "production").getByRole("switch"));
      await choose(dialog, "Audience", "A new strategy: for everyone");
      await dialog.getByRole("button", { name: "Add to change request" }).click();
      await openDraft(page);
      await page.getByRole("heading", { name: "Strategy added" }).waitFor();
      const other = await readRequest(page);
      expect(other.features).toMatchObject([{ changes: [{ action: "updateEnabled" }] }]);
      await console.admin("DELETE", `${REQUESTS}/${other.id}`);

      // The draft says for whom already.
      await console.admin("POST", "/projects/default/environments/production/change-requests", {
        feature: flag,
        action: "addStrategy",
        payload: percent("5"),
      });
      await page.goto(`${console.url}/projects/default/flags/${flag}`);
      await page.getByText("has 1 change.").waitFor();
      await clickControl(environmentOf(page, "production").getByRole("switch"));
      await page.getByText("has 2 changes.").waitFor();
      await openDraft(page);
      const last = await readRequest(page);
      expect(last.features).toMatchObject([
        { changes: [{ action: "addStrategy" }, { action: "updateEnabled" }] },
      ]);
      await console.admin("DELETE", `${REQUESTS}/${last.id}`);
      expect(await flagsOn(console, "default", "production")).not.toContain(flag);
    },
  );

  test.each(SIZES)("a switch says that it is requested, on a %s", async (size) => {
    const flag = `waiting-${size}`;
    await createProtected(flag, [percent("10")]);
    const page = await console.open(`/projects/default/flags?query=${flag}`, { size });
    await clickControl(switchOf(page, flag, "production"));
    const message = await waitForMessage(page, "Added to your change request for production");
    const inList = page.getByRole("link", { name: "requested" });
    await inList.waitFor();
    expect(await inList.getAttribute("title")).toBe("Waits in your change request");
    await expectAccessible(page);
    // Pointing at it stops its time.
    await message.hover();
    const id = Number((await inList.getAttribute("href"))?.split("/").at(-1));
    await console.admin("PUT", `${REQUESTS}/${id}/state`, { state: "In review" });
    await message.waitFor({ state: "detached" });

    await page.goto(`${console.url}/projects/default/flags/${flag}`);
    const production = environmentOf(page, "production");
    await production.getByText("Switching it is requested: it waits in").waitFor();
    expect(
      await environmentOf(page, "development").getByText("Switching it is requested").count(),
    ).toBe(0);
    await expectAccessible(page);
    await production.getByRole("link", { name: `Change request #${id}` }).click();
    await page.getByText(`Turn on ${flag} in production`).waitFor();
    await console.admin("PUT", `${REQUESTS}/${id}/state`, { state: "Cancelled" });
  });

  test("several flags without a strategy are turned on for everyone only after a question", async () => {
    await setApprovals(null);
    await createFlag(console, "none-a");
    await createFlag(console, "none-b");
    await setApprovals(1);
    const page = await console.open("/projects/default/flags?query=none-");
    await clickControl(page.getByRole("checkbox", { name: "Select all flags" }));
    await press(page, "Change 2 flags");
    await page
      .getByRole("group", { name: "production" })
      .getByRole("menuitem", { name: "Turn on" })
      .click();
    const dialog = page.getByRole("dialog", { name: "Turn on 2 flags in production?" });
    await dialog.getByText("This turns 2 flags on for everyone in production.").waitFor();
    await expectAccessible(page);
    await dialog.getByRole("button", { name: "Cancel" }).click();
    expect(await page.getByText("Your change request for").count()).toBe(0);
  });

  test("an import is sent to review as a request of its own", async () => {
    await setApprovals(1);
    const page = await console.open("/projects/default/transfer");
    const [chooser] = await Promise.all([
      page.waitForEvent("filechooser"),
      press(page, "Choose a file"),
    ]);
    const environments = [{ name: "production", enabled: true, strategies: [percent("50")] }];
    const content = { version: 1, features: [{ name: "imported-later", environments }] };
    await chooser.setFiles({
      name: "flags.json",
      mimeType: "application/json",
      buffer: Buffer.from(JSON.stringify(content)),
    });
    await page
      .getByText(
        "Changes in production of the project default require 1 approval, so nothing changes yet",
      )
      .waitFor();
    await expectAccessible(page);
    await press(page, "Send to review");
    await waitForMessage(page, "The import requires approvals, so it was sent to review");
    await page.getByRole("heading", { name: "Import of flags", level: 1 }).waitFor();
    expect(await readRequest(page)).toMatchObject({
      state: "In review",
      segments: [{ action: "importProject" }],
    });
    await expectAccessible(page);
    expect(await flagsOn(console, "default", "production")).not.toContain("imported-later");
  });

  test("an import of several projects cannot be requested", async () => {
    await createProject(console, "one", []);
    await createProject(console, "two", []);
    await setApprovals(1);
    const page = await console.open("/projects/default/transfer");
    const [chooser] = await Promise.all([
      page.waitForEvent("filechooser"),
      press(page, "Choose a file"),
    ]);
    const flag = { enabled: true, strategies: [{ name: "default" }] };
    const features = ["one", "two"].map((project) => ({ ...flag, name: `of-${project}`, project }));
    await chooser.setFiles({
      name: "state.json",
      mimeType: "application/json",
      buffer: Buffer.from(JSON.stringify({ version: 1, features })),
    });
    await choose(page, "Import default into", "production");
    await choose(page, "Flags to import", "All projects");
    await page.getByText("import the projects one by one").waitFor();
    expect(await page.getByRole("button", { name: "Import 2 flags" }).isDisabled()).toBe(true);
    await choose(page, "Flags to import", "Project one");
    await page.getByText("so nothing changes yet: the import becomes a change request").waitFor();
  });

  test("a requested change is edited in the form with which it was requested", async () => {
    await setApprovals(null);
    await createFlag(console, "edited-later", [percent("10")], "production");
    const at = "/projects/default/features/edited-later/environments/production";
    await console.admin("PUT", `${at}/variants`, [{ name: "blue", weight: 1000 }]);
    const [strategy] = await readStrategies(console, "edited-later", "production");
    await setApprovals(1);
    await console.admin("POST", "/projects/default/environments/production/change-requests", [
      { feature: "edited-later", action: "updateEnabled", payload: { enabled: true } },
      {
        feature: "edited-later",
        action: "updateStrategy",
        payload: { id: strategy?.id, ...percent("40") },
      },
      {
        feature: "edited-later",
        action: "patchVariant",
        payload: { variants: [{ name: "red", weight: 1000 }] },
      },
      {
        feature: "edited-later",
        action: "addStrategy",
        payload: { name: "default", title: "All" },
      },
      {
        feature: "edited-later",
        action: "setRolloutPlan",
        payload: {
          id: strategy?.id,
          steps: [
            { rollout: 50, holdMinutes: 60 },
            { rollout: 100, holdMinutes: null },
          ],
        },
      },
    ]);
    const page = await console.open("/projects/default/flags/edited-later");
    await openDraft(page);
    const edit = async (sentence: string) => {
      await page.getByRole("button", { name: `Edit the change: ${sentence}` }).click();
      return page.getByRole("dialog");
    };
    const save = async () => {
      await press(page, "Save");
      await page.getByRole("dialog").waitFor({ state: "detached" });
    };

    const switching = await edit("Turn on edited-later in production");
    await clickControl(switching.getByRole("switch", { name: "Turn on" }));
    await expectAccessible(page);
    await save();
    await page.getByText("Turn off edited-later in production").waitFor();

    const strategyForm = await edit("Change a strategy (Gradual rollout) of edited-later");
    await field(strategyForm, "Percentage").fill("60");
    await expectAccessible(page);
    await save();

    const variants = await edit("Change the variants of edited-later");
    expect(await field(variants, "Name").inputValue()).toBe("red");
    await field(variants, "Name").fill("green");
    await save();

    const added = await edit("Add the strategy “All” to edited-later");
    await field(added, "Title").fill("Everyone");
    await save();

    const plan = await edit("Roll out a strategy of edited-later");
    await plan.getByRole("group", { name: "Step 1" }).getByLabel("Percentage").fill("70");
    await save();

    const { features } = await readRequest(page);
    expect(features.flatMap(({ changes }) => changes)).toMatchObject([
      { action: "updateEnabled", payload: { enabled: false } },
      { action: "updateStrategy", payload: { parameters: { rollout: "60" } } },
      { action: "patchVariant", payload: { variants: [{ name: "green" }] } },
      { action: "addStrategy", payload: { title: "Everyone" } },
      { action: "setRolloutPlan", payload: { steps: [{ rollout: 70 }, { rollout: 100 }] } },
    ]);
    expect(await readStrategies(console, "edited-later", "production")).toMatchObject([
      { parameters: { rollout: "10" } },
    ]);
  });
});
