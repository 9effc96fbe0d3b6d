import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { field } from "./_actions.ts";
import { describeConsole, expectAccessible } from "./_console.ts";
import { createFlag, environmentOf } from "./_strategies.ts";

describeConsole("unsaved changes in a dialog", (console) => {
  const openDialog = async (page: Page) => {
    await environmentOf(page).getByRole("button", { name: "Add strategy" }).click();
    const dialog = page.getByRole("dialog", { name: "New strategy in development" });
    await dialog.waitFor();
    return dialog;
  };

  test("closing the dialog discards them only after a confirmation", async () => {
    await createFlag(console, "unsaved");
    const page = await console.open("/projects/default/flags/unsaved");
    const dialog = await openDialog(page);
    const title = field(dialog, "Title");
    const confirmation = page.getByRole("dialog", { name: "Discard changes?" });
    await title.fill("Pilot");
    const attempts = [
      () => page.keyboard.press("Escape"),
      () => dialog.getByRole("button", { name: "Close" }).click(),
      () => dialog.getByRole("button", { name: "Cancel" }).click(),
    ];
    for (const attempt of attempts) {
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      await attempt();
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      await confirmation.getByRole("button", { name: "Keep editing" }).click();
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      expect(await title.inputValue()).toBe("Pilot");
    }
    await page.keyboard.press("Escape");
    await confirmation.waitFor();
    await expectAccessible(page);
    await confirmation.getByRole("button", { name: "Discard" }).click();
    await dialog.waitFor({ state: "detached" });
  });

  test("without any, the dialog closes at once", async () => {
    await createFlag(console, "nothing-unsaved");
    const page = await console.open("/projects/default/flags/nothing-unsaved");
    const dialog = await openDialog(page);
    await field(dialog, "Title").fill("Pilot");
    await field(dialog, "Title").fill("");
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "detached" });
  });

  test("the Escape key first closes a list of suggestions", async () => {
    const page = await console.open("/environments");
    await page.getByRole("button", { name: "New environment" }).click();
    const dialog = page.getByRole("dialog", { name: "New environment" });
    await dialog.getByRole("combobox", { name: "Type" }).fill("test");
    const suggestions = page.getByRole("listbox");
    await suggestions.waitFor();
    await page.keyboard.press("Escape");
    await suggestions.waitFor({ state: "detached" });
    await dialog.getByRole("button", { name: "Create environment" }).waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("dialog", { name: "Discard changes?" }).waitFor();
  });
});
