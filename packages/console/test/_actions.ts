import type { Locator, Page } from "playwright-core";

/** Runs an action from the menu of a row of a table, which the keyboard opens. */
export async function runAction(page: Page, row: string, action: string): Promise<void> {
  const button = page.getByRole("button", { name: `Actions for ${row}`, exact: true });
  // A dialog that is about to close would take the focus back.
  await page.getByRole("dialog").filter({ hasNot: button }).waitFor({ state: "detached" });
  await button.focus();
  await page.keyboard.press("Enter");
  await page.getByRole("menuitem", { name: action, exact: true }).click();
}

/** Returns the names of the rows of a table, in their order on the page. */
export async function rowNames(page: Page, table: string): Promise<readonly string[]> {
  const headers = page.getByRole("table", { name: table, exact: true }).locator("tbody th");
  // What follows the first text are badges and descriptions.
  return headers.evaluateAll((elements) =>
    elements.map((element) => {
      const texts = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
      return texts.nextNode()?.textContent ?? "";
    }),
  );
}

/** Presses the button of the open dialog that asks before a change and says what it does. */
export async function confirm(
  page: Page,
  consequence: RegExp | string,
  button: string,
): Promise<void> {
  const dialog = page.getByRole("dialog").filter({ hasText: consequence });
  await dialog.getByRole("button", { name: button, exact: true }).click();
}

/** Returns a text field within a dialog or page by its label. */
export function field(within: Locator | Page, label: string): Locator {
  return within.getByRole("textbox", { name: label, exact: true });
}

/**
 * Chooses an entry of a field that opens a list.
 *
 * NOTE: the list is opened with the keyboard. A mouse opens it when it is pressed, and chooses the entry above which it is
 * released: on a busy machine and a small screen, a click would choose whatever the list shows in place of the button.
 */
export async function choose(within: Locator | Page, label: string, option: string): Promise<void> {
  const page = "page" in within ? within.page() : within;
  const button = within.getByRole("button", { name: label }).and(page.locator(":enabled"));
  await button.press("Enter");
  await page.getByRole("option", { name: option, exact: true }).click();
}
