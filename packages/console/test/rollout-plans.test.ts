import type { Page } from "playwright-core";
import { beforeAll, expect, test } from "vitest";
import { createUser } from "../../admin/test/_accounts.ts";
import { collectErrors } from "../../admin/test/_service.ts";
import { advancePlans } from "../../admin/src/rollout-plans/advance-plans.ts";
import { choose, confirm } from "./_actions.ts";
import { clickControl, describeConsole, expectAccessible, SIZES } from "./_console.ts";
import { waitForMessage } from "./_flags.ts";
import {
  createFlag,
  environmentOf,
  patchStrategy,
  readStrategies,
  runAction,
} from "./_strategies.ts";

const HOUR_MS = 3_600_000;
const NAME = "Gradual rollout";

interface Plan {
  readonly state: string;
  readonly step: number;
  readonly steps: readonly unknown[];
}

describeConsole("rollout plans", (console) => {
  beforeAll(() => createUser(console, "ann", "Editor"));

  const createRollout = async (flag: string, environment = "development") => {
    await createFlag(
      console,
      flag,
      [{ name: "flexibleRollout", parameters: { rollout: "5", stickiness: "default" } }],
      environment,
    );
    await console.admin(
      "POST",
      `/projects/default/features/${flag}/environments/${environment}/on`,
    );
  };

  const planOf = async (flag: string): Promise<Plan | undefined> => {
    const path = `/projects/default/features/${flag}/rollout-plans`;
    const { rolloutPlans } = (await console.admin("GET", path)) as { rolloutPlans: Plan[] };
    return rolloutPlans[0];
  };

  const setApprovals = (requiredApprovals: number | null) =>
    console.admin("PUT", "/environments/update/production", { requiredApprovals });

  const rolloutOf = async (flag: string, environment?: string) =>
    (await readStrategies(console, flag, environment))[0]?.parameters["rollout"];

  /** Makes the steps that are due some time from now. */
  const advance = (aheadMs: number) =>
    advancePlans({
      storage: console.storage,
      logger: collectErrors([]),
      clock: async () => new Date(Date.now() + aheadMs),
    });

  const press = (page: Page, name: string) =>
    page.getByRole("button", { name, exact: true }).click();

  test.each(SIZES)("raise the percentage from the first step to the last on a %s", async (size) => {
    const flag = `gradual-${size}`;
    await createRollout(flag);
    const page = await console.open(`/projects/default/flags/${flag}`, { size });
    await press(page, "Roll out in steps");
    const dialog = page.getByRole("dialog", { name: "Roll out in steps in development" });
    const step = (number: number) =>
      dialog.getByRole("group", { name: `Step ${number}`, exact: true });
    const percentage = (number: number) => step(number).getByLabel("Percentage");
    expect(await percentage(1).inputValue()).toBe("5");
    await expectAccessible(page);

    await percentage(2).fill("4");
    await dialog.getByRole("button", { name: "Start the plan" }).click();
    await step(2).getByText("It must be larger than 5%, the step before.").waitFor();
    expect(await planOf(flag)).toBeUndefined();
    await percentage(2).fill("30");
    // Otherwise the page would move under the pointer when the message disappears.
    await page.keyboard.press("Tab");
    await dialog.getByRole("button", { name: "Remove step 5" }).click();
    await dialog.getByRole("button", { name: "Remove step 4" }).click();
    await choose(step(1), "Unit", "hours");
    await step(1).getByLabel("For").fill("2");
    await choose(step(2), "Unit", "somebody goes on");
    await percentage(3).fill("60");
    await dialog.getByRole("button", { name: "Add step" }).click();
    expect(await percentage(4).inputValue()).toBe("100");
    // After everyone, no step is left.
    await dialog.getByRole("button", { name: "Add step" }).click();
    expect(await percentage(4).inputValue()).toBe("80");
    expect(await percentage(5).inputValue()).toBe("100");
    await dialog.getByRole("button", { name: "Remove step 4" }).click();
    await dialog.getByText("5% for 2 hours, then 30% until somebody goes on").waitFor();
    await expectAccessible(page);
    await dialog.getByRole("button", { name: "Start the plan" }).click();
    await waitForMessage(page, "Set the rollout plan in development");
    expect(await planOf(flag)).toMatchObject({
      state: "running",
      step: 0,
      steps: [
        { rollout: 5, holdMinutes: 120 },
        { rollout: 30, holdMinutes: null },
        { rollout: 60, holdMinutes: 1440 },
        { rollout: 100, holdMinutes: null },
      ],
    });

    const card = page.getByRole("region", { name: "Rollout plan" });
    await card.getByText("Goes on to 30% on").waitFor();
    expect(await card.locator("time").getAttribute("title")).toContain("UTC");
    await expectAccessible(page);
    await advance(HOUR_MS);
    expect(await rolloutOf(flag)).toBe("5");
    // The page follows.
    await advance(3 * HOUR_MS);
    await card.getByText("Goes on to 60% when somebody says so").waitFor();
    expect(await rolloutOf(flag)).toBe("30");
    await card.getByRole("button", { name: "Go on to 60%" }).click();
    await card.getByText("Goes on to 100% on").waitFor();
    // The keyboard reaches the plan after the actions of the strategy.
    await page.getByRole("button", { name: `More actions for ${NAME}`, exact: true }).focus();
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    await card.getByText("Paused").waitFor();
    await advance(100 * HOUR_MS);
    expect(await rolloutOf(flag)).toBe("60");
    await press(page, "More actions for the rollout plan");
    await page.getByRole("menuitem", { name: "Go back to 30%" }).click();
    await card.getByText("Step 2 of 4").waitFor();
    expect(await rolloutOf(flag)).toBe("30");
    await card.getByRole("button", { name: "Go on to 60%" }).click();
    await card.getByRole("button", { name: "Go on to 100% now" }).click();
    await card.getByText("Completed").waitFor();
    expect(await rolloutOf(flag)).toBe("100");
    await expectAccessible(page);
    await press(page, "More actions for the rollout plan");
    await page.getByRole("menuitem", { name: "Remove the plan…" }).click();
    await confirm(page, "The strategy stays at 100%", "Remove");
    await card.waitFor({ state: "detached" });
    expect(await planOf(flag)).toBeUndefined();
  });

  test("an edit by hand stops a plan, and a flag that is off pauses it", async () => {
    await createRollout("edited");
    await createRollout("paused");
    const page = await console.open("/projects/default/flags/edited");
    const start = async () => {
      await runAction(page, NAME, "Roll out in steps…");
      await press(page, "Start the plan");
    };
    const card = page.getByRole("region", { name: "Rollout plan" });
    await start();
    await card.getByText("Goes on to 10% on").waitFor();
    await page.getByRole("link", { name: "All flags" }).click();
    await page.getByText("then 10%").waitFor();
    await page.goBack();
    await press(page, `Edit ${NAME}`);
    await page.getByText("Saving a change stops the rollout plan of this strategy.").waitFor();
    await expectAccessible(page);
    await press(page, "Cancel");
    await patchStrategy(console, "edited", { parameters: { rollout: "15" } });
    await card.getByText("Somebody has edited the strategy.").waitFor();
    await expectAccessible(page);
    await card.getByRole("button", { name: "New plan" }).click();
    await press(page, "Start the plan");
    await card.getByText("Goes on to 25% on").waitFor();

    await page.goto(`${console.url}/projects/default/flags/paused`);
    await start();
    await card.getByText("Goes on to 10% on").waitFor();
    await clickControl(environmentOf(page).getByRole("switch", { name: "On" }));
    await waitForMessage(page, "paused is now off in development");
    await advance(25 * HOUR_MS);
    await card.getByText("The flag is off in development.").waitFor();
    expect(await planOf("paused")).toMatchObject({ state: "paused", step: 0 });
  });

  test("a step in production says what it does, and is requested where it requires an approval", async () => {
    await setApprovals(null);
    await createRollout("careful", "production");
    const page = await console.open("/projects/default/flags/careful");
    const card = page.getByRole("region", { name: "Rollout plan" });
    await press(page, "Roll out in steps");
    await page.getByText("This changes the flag in production").waitFor();
    await press(page, "Start the plan");
    await card.getByRole("button", { name: "Go on to 10% now" }).click();
    await confirm(page, "for 10% of users, instead of for 5% of users", "Go on");
    await card.getByText("Goes on to 25% on").waitFor();
    await setApprovals(1);
    await page.reload();
    // What the plan says is approved already; what is earlier is not.
    await card.getByRole("button", { name: "Go on to 25% now" }).click();
    await waitForMessage(page, "Added to your change request for production");
    expect(await rolloutOf("careful", "production")).toBe("10");
    await page.getByRole("link", { name: "Review and send" }).click();
    await page
      .getByText("Roll out a strategy of careful in production in steps: 25% for 1 day")
      .waitFor();
    await setApprovals(null);
    await page.reload();
    await press(page, "Apply");
    await confirm(page, "take effect at once", "Apply");
    await waitForMessage(page, "Applied");
    expect(await rolloutOf("careful", "production")).toBe("25");
    expect(await planOf("careful")).toMatchObject({ steps: [{ rollout: 25 }, {}, {}] });
  });

  test("a plan is requested where it requires an approval, and applied with it", async () => {
    await setApprovals(null);
    await createRollout("requested", "production");
    await setApprovals(1);
    const page = await console.open("/projects/default/flags/requested");
    await press(page, "Roll out in steps");
    const dialog = page.getByRole("dialog");
    await dialog.getByText("Changes in production require 1 approval.").waitFor();
    await expectAccessible(page);
    await dialog.getByRole("button", { name: "Add to change request" }).click();
    await waitForMessage(page, "Added to your change request for production");
    expect(await planOf("requested")).toBeUndefined();
    await page.getByRole("link", { name: "Review and send" }).click();
    await page.getByText("Roll out a strategy of requested in production in steps: 5%").waitFor();
    await expectAccessible(page);
    await press(page, "More actions");
    await page.getByRole("menuitem", { name: "Apply without approval…" }).click();
    await page.getByRole("textbox", { name: "Reason" }).fill("Nobody else is here");
    await press(page, "Apply without approval");
    await waitForMessage(page, "Applied without approval");
    expect(await planOf("requested")).toMatchObject({ state: "running", step: 0 });
    // The steps need no further approvals.
    await advance(25 * HOUR_MS);
    expect(await rolloutOf("requested", "production")).toBe("10");
    await setApprovals(null);
  });
});
