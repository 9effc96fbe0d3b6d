import { expect, test } from "vitest";
import { createFlag, createSegment } from "../../admin/test/_flags.ts";
import { describeConsole, expectAccessible } from "./_console.ts";
import { createProject } from "./_flags.ts";

const rollout = (percentage: string) => ({
  name: "flexibleRollout",
  parameters: { rollout: percentage, stickiness: "default", groupId: "columns" },
});

describeConsole("the columns of the list of flags", (console) => {
  test("say whom a flag reaches in each environment", async () => {
    const segments = [
      await createSegment(console, "columns-a", ["1"]),
      await createSegment(console, "columns-b", ["2"]),
    ];
    const environment = "production";
    const variants = ["a", "b", "c"].map((name) => ({
      name,
      weight: 0,
      weightType: "variable",
      stickiness: "default",
    }));
    await createFlag(console, "columns-25", { environment, strategies: [rollout("25")] });
    await createFlag(console, "columns-everyone", { environment });
    await createFlag(console, "columns-segments", {
      environment,
      strategies: [{ name: "default", segments }],
    });
    await createFlag(console, "columns-variants", {
      environment,
      strategies: [{ ...rollout("100"), variants }],
    });
    for (const colorScheme of ["light", "dark"] as const) {
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      const page = await console.open("/projects/default/flags?query=columns-", { colorScheme });
      const production = (flag: string) =>
        page.getByRole("row").filter({ hasText: flag }).locator(".flag-production");
      for (const [flag, text] of [
        ["columns-25", "25%"],
        ["columns-everyone", "everyone"],
        ["columns-segments", "2 segments"],
        ["columns-variants", "everyone3 variants"],
      ] as const) {
        // oxlint-disable-next-line no-await-in-loop -- one after the other
        await expect.poll(() => production(flag).locator(".flag-reach").textContent()).toBe(text);
      }
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      await expectAccessible(page);
    }
  });

  test("show times next to three environments at 1024 pixels, and can be hidden", async () => {
    await console.admin("POST", "/environments", { name: "columns-staging", type: "test" });
    await createProject(console, "columns", [{ name: "columns-of-three" }]);
    const page = await console.open("/projects/columns/flags");
    await page.setViewportSize({ width: 1024, height: 768 });
    const headings = page.getByRole("columnheader");
    await expect
      .poll(() => headings.filter({ visible: true }).allTextContents())
      .toEqual([
        "",
        "Name",
        "development",
        "PRODproduction",
        "columns-staging",
        "Last used",
        "Created",
      ]);

    await page.getByRole("button", { name: "Columns", exact: true }).press("Enter");
    await page.getByRole("menuitemcheckbox", { name: "columns-staging" }).click();
    await page.getByRole("menuitemcheckbox", { name: "Created" }).click();
    await expectAccessible(page);
    await page.keyboard.press("Escape");
    const left = ["", "Name", "development", "PRODproduction", "Last used"];
    await expect.poll(() => headings.allTextContents()).toEqual(left);
    await page.reload();
    await expect.poll(() => headings.allTextContents()).toEqual(left);

    // On a phone, the times are below the name.
    await page.setViewportSize({ width: 390, height: 844 });
    await page.getByText("Last used never").waitFor();
  });
});
