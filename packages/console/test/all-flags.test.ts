import { expect, test } from "vitest";
import { choose, rowNames } from "./_actions.ts";
import { describeConsole, expectAccessible, SIZES } from "./_console.ts";
import { createProject } from "./_flags.ts";

const TABLE = "Flags of all projects";

describeConsole("the flags of all projects", (console) => {
  test.each(SIZES)("are found, filtered, sorted and loaded by page on a %s", async (size) => {
    const many = Array.from({ length: 60 }, (_, index) => ({
      name: `${size}-many-${String(index).padStart(2, "0")}`,
    }));
    await createProject(console, `one-${size}`, many);
    await createProject(console, `two-${size}`, [
      {
        name: `${size}-other`,
        stale: true,
        environments: [{ name: "production", enabled: true, strategies: [{ name: "default" }] }],
      },
    ]);
    // The search hides one flag, so that its count appears only when it has been applied.
    await createProject(console, `three-${size}`, [{ name: `another-${size}` }]);
    const page = await console.open("/flags", { size });
    await page.getByRole("searchbox").fill(`${size}-`);
    await page.getByText("50 of 61 flags").waitFor();
    await page.getByRole("button", { name: "Load more" }).click();
    await page.getByText("61 flags", { exact: true }).waitFor();
    await page.reload();
    await page.getByText("61 flags", { exact: true }).waitFor();
    await expectAccessible(page);

    await choose(page, "State", "Stale");
    await expect.poll(() => rowNames(page, TABLE)).toEqual([`${size}-other`]);
    await page.getByText("production: everyone").waitFor();
    await choose(page, "State", "All states");
    await choose(page.getByRole("main"), "Project", `Project two-${size}`);
    await expect.poll(() => rowNames(page, TABLE)).toEqual([`${size}-other`]);
    await page.getByRole("link", { name: `${size}-other`, exact: true }).click();
    await page.waitForURL(`**/projects/two-${size}/flags/${size}-other`);
    await page.goBack();
    await expect.poll(() => rowNames(page, TABLE)).toEqual([`${size}-other`]);
  });
});
