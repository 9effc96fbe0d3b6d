import { expect, test } from "vitest";
import { describeConsole, type Size } from "./_console.ts";
import { runAction } from "./_actions.ts";
import { createProject, waitForMessage } from "./_flags.ts";

describeConsole("the focus after a dialog", (console) => {
  test("the focus returns to the button that opened the dialog, even if the dialog had to load something", async () => {
    await console.admin("POST", "/segments", { name: "focused-segment", constraints: [] });
    await createProject(console, "focus", [{ name: "focused-flag" }]);
    const page = await console.open("/segments");
    for (const action of ["Edit", "Delete"]) {
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      await runAction(page, "focused-segment", action);
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      await page.getByRole("dialog").getByRole("button", { name: "Cancel" }).waitFor();
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      await page.keyboard.press("Escape");
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      await expect.poll(focused).toBe("Actions for focused-segment");
    }

    await page.goto(`${console.url}/projects/focus/flags/focused-flag`);
    const edit = page.getByRole("button", { name: "Edit", exact: true });
    await edit.focus();
    await page.keyboard.press("Enter");
    await page.getByRole("dialog").getByLabel("Description").waitFor();
    await page.keyboard.press("Escape");
    await expect.poll(focused).toBe("Edit");

    function focused(): Promise<string> {
      return page.evaluate(() => {
        const element = document.activeElement;
        return element?.getAttribute("aria-label") ?? element?.textContent ?? "";
      });
    }
  });

  test("the focus moves to the page if the button has disappeared", async () => {
    await console.admin("POST", "/segments", { name: "short-lived", constraints: [] });
    const page = await console.open("/segments");
    await runAction(page, "short-lived", "Delete");
    await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
    await page
      .getByRole("button", { name: "Actions for short-lived" })
      .waitFor({ state: "detached" });
    await expect.poll(() => page.evaluate(() => document.activeElement?.id)).toBe("content");
  });

  test.each<Size>(["desktop", "phone"])(
    "a message does not cover the buttons of the next dialog on a %s",
    async (size) => {
      await createProject(console, `covered-${size}`, [{ name: `covered-${size}-flag` }]);
      const path = `/projects/covered-${size}/flags/covered-${size}-flag`;
      const page = await console.open(path, { size });
      await page.getByRole("button", { name: "Edit", exact: true }).click();
      const dialog = page.getByRole("dialog");
      await dialog.getByLabel("Description").fill("New text");
      await dialog.getByRole("button", { name: "Save" }).click();
      const message = await waitForMessage(page, "Saved");
      await dialog.waitFor({ state: "detached" });
      await page.getByRole("button", { name: "Add strategy" }).first().click();
      const add = dialog.getByRole("button", { name: "Add strategy" });
      await add.waitFor();
      const isInFront = await add.evaluate((button) => {
        const { x, y, width, height } = button.getBoundingClientRect();
        const inFront = document.elementFromPoint(x + width / 2, y + height / 2);
        return button.contains(inFront);
      });
      expect([isInFront, await message.isVisible()]).toEqual([true, true]);
    },
  );
});
