import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { createSegment } from "../../admin/test/_flags.ts";
import { describeConsole, expectAccessible } from "./_console.ts";
import { createProject } from "./_flags.ts";

const palette = (page: Page) => page.getByRole("dialog", { name: "Find anything" });

describeConsole("the palette", (console) => {
  test("finds flags, projects, segments, pages and actions with the keyboard", async () => {
    await createProject(console, "found", [{ name: "found-flag", description: "Pays with cash" }]);
    await createSegment(console, "found-segment", ["1"]);
    const page = await console.open("/projects/default/flags");
    await page.getByRole("heading", { name: "Flags", level: 1 }).waitFor();
    const find = async (text: string, result: string) => {
      await page.keyboard.press("Control+k");
      // Its script is loaded when it is first opened.
      await palette(page).waitFor();
      await page.keyboard.type(text);
      await palette(page).getByRole("menuitem", { name: result }).first().waitFor();
    };

    await find("cash", "found-flag");
    await expectAccessible(page);
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    await page.waitForURL("**/projects/found/flags/found-flag");
    await palette(page).waitFor({ state: "detached" });

    await find("project found", "Project found");
    await palette(page).getByRole("menuitem", { name: "Project found" }).first().click();
    await page.waitForURL("**/projects/found/flags");

    await find("found-seg", "found-segment");
    await palette(page).getByRole("menuitem", { name: "found-segment" }).click();
    await page.getByRole("rowheader", { name: "found-segment" }).waitFor();
    expect(new URL(page.url()).searchParams.get("query")).toContain("found-segment");

    await find("tags", "Tags");
    await palette(page).getByRole("menuitem", { name: "Tags" }).click();
    await page.waitForURL("**/tags");

    await find("new flag", "New flag");
    await palette(page).getByRole("menuitem", { name: "New flag" }).click();
    await page.getByRole("dialog", { name: "New flag" }).waitFor();
    // Reloading does not open the dialog again.
    await expect.poll(() => new URL(page.url()).search).toBe("");
  });

  test("says that nothing is found, and Escape closes it", async () => {
    const page = await console.open("/segments");
    const button = page.getByRole("button", { name: /^Find/ });
    await button.click();
    await palette(page).getByRole("menuitem", { name: "Segments" }).waitFor();
    await page.keyboard.type("nothing like this");
    await palette(page).getByText("Nothing found").waitFor();
    await expectAccessible(page);
    await page.keyboard.press("Escape");
    await page.keyboard.press("Escape");
    await palette(page).waitFor({ state: "detached" });
    await expect.poll(() => button.evaluate((one) => one === document.activeElement)).toBe(true);
  });

  test("opens with a button on a phone, and offers viewers no actions", async () => {
    const page = await console.open("/tags", { size: "phone", role: "viewer" });
    await page.getByRole("button", { name: /^Find/ }).click();
    await palette(page).getByRole("menuitem", { name: "Playground" }).waitFor();
    expect(await palette(page).getByText("New segment").count()).toBe(0);
    await expectAccessible(page);
    await palette(page).getByRole("menuitem", { name: "Playground" }).click();
    await page.waitForURL("**/playground");
  });

  test("does not open above a dialog", async () => {
    const page = await console.open("/segments?create=yes");
    await page.getByRole("dialog").waitFor();
    await page.keyboard.press("Control+k");
    expect(await palette(page).count()).toBe(0);
    expect(await page.getByRole("dialog").count()).toBe(1);
  });
});
