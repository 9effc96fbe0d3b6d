import { expect, test } from "vitest";
import { choose } from "./_actions.ts";
import { describeConsole, expectAccessible, SIZES } from "./_console.ts";
import { createProject, flagsOn, readFlags, waitForMessage } from "./_flags.ts";

/** Browsers log that the old address is a 404. */
const NOT_FOUND = /status of 404/;

describeConsole("moving a flag", (console) => {
  test.each(SIZES)("says what moves and what stands in the way (%s)", async (size) => {
    const [shop, blog] = [`shop-${size}`, `blog-${size}`];
    const [flag, child] = [`base-${size}`, `child-${size}`];
    await createProject(console, shop, [{ name: flag }, { name: child }]);
    await console.admin("POST", "/projects", {
      id: blog,
      name: `Blog ${size}`,
      environments: ["development"],
    });
    const features = `/projects/${shop}/features`;
    await console.admin("POST", `${features}/${child}/dependencies`, { feature: flag });
    for (const environment of ["development", "production"]) {
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      await console.admin("POST", `${features}/${flag}/environments/${environment}/on`);
    }
    await console.admin("POST", "/api-tokens", {
      tokenName: `till-${size}`,
      type: "backend",
      environment: "development",
      projects: [shop],
    });

    const page = await console.open(`/projects/${shop}/flags/${flag}`, {
      size,
      expected: NOT_FOUND,
    });
    const other = await console.open(`/projects/${shop}/flags/${child}`, {
      size,
      expected: NOT_FOUND,
    });
    await page.getByRole("button", { name: "More actions", exact: true }).click();
    await page.getByRole("menuitem", { name: "Move to another project…" }).click();
    const dialog = page.getByRole("dialog");
    await choose(dialog, "Project", `Blog ${size}`);
    const obstacle = dialog.getByRole("alert").filter({ hasText: "cannot move" });
    await obstacle.getByText('"production"').waitFor();
    const submit = dialog.getByRole("button", { name: "Move", exact: true });
    expect(await submit.isDisabled()).toBe(true);
    await expectAccessible(page);

    // The dialog follows the change of somebody else.
    await console.admin("POST", `${features}/${flag}/environments/production/off`);
    await dialog.getByText("1 flag moves along").waitFor();
    await dialog.getByText("what is set up there is deleted: 1 strategy").waitFor();
    await dialog.getByText(`till-${size}`).waitFor();
    await expectAccessible(page);
    await submit.click();
    await waitForMessage(page, `Moved 2 flags to Blog ${size}`);
    await page.waitForURL(`**/projects/${blog}/flags/${flag}`);
    expect((await readFlags(console, blog)).map(({ name }) => name)).toEqual([flag, child]);
    expect(await readFlags(console, shop)).toEqual([]);
    expect(await flagsOn(console, blog)).toEqual([flag]);

    // Old addresses lead to where the flag is now, also on a page that is open.
    await other.waitForURL(`**/projects/${blog}/flags/${child}`);
    await page.goto(`${console.url}/projects/${shop}/flags/${flag}?tab=history`);
    await page.waitForURL(`**/projects/${blog}/flags/${flag}?tab=history`);
    await page.getByText(`from the project ${shop} to ${blog}`).waitFor();
  });

  test("can be undone if nothing was deleted", async () => {
    await createProject(console, "undo-a", [{ name: "undone" }]);
    await createProject(console, "undo-b", []);
    const page = await console.open("/projects/undo-a/flags/undone", { expected: NOT_FOUND });
    await page.getByRole("button", { name: "More actions", exact: true }).click();
    await page.getByRole("menuitem", { name: "Move to another project…" }).click();
    await choose(page.getByRole("dialog"), "Project", "Project undo-b");
    await page.getByRole("button", { name: "Move", exact: true }).click();
    const message = await waitForMessage(page, "Moved undone to Project undo-b");
    await message.getByRole("button", { name: "Undo" }).click();
    await page.waitForURL("**/projects/undo-a/flags/undone");
    expect((await readFlags(console, "undo-a")).map(({ name }) => name)).toEqual(["undone"]);
  });
});
