import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { describeConsole, expectAccessible, SIZES } from "./_console.ts";

describeConsole("the colours", (console) => {
  test.each(SIZES)(
    "colours follow the system until the user chooses a theme on a %s",
    async (size) => {
      const path = "/projects/default/flags";
      const page = await console.open(path, { size, colorScheme: "dark" });
      await page.getByRole("heading", { level: 1, name: "Flags" }).waitFor();
      const dark = await backgroundOf(page);
      await expectAccessible(page);
      await page.emulateMedia({ colorScheme: "light" });
      const light = await backgroundOf(page);
      expect(light).not.toBe(dark);

      await choose(page, "Dark theme");
      await expect.poll(() => backgroundOf(page)).toBe(dark);
      // The choice is remembered.
      await page.reload();
      await page.getByRole("heading", { level: 1, name: "Flags" }).waitFor();
      expect(await backgroundOf(page)).toBe(dark);

      await choose(page, "System theme");
      await expect.poll(() => backgroundOf(page)).toBe(light);
    },
  );
});

async function choose(page: Page, name: string): Promise<void> {
  await page.getByRole("button", { name: "Account" }).click();
  await page.getByRole("menuitem", { name }).click();
}

/** Returns the colour behind the page. */
function backgroundOf(page: Page): Promise<string> {
  return page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor);
}
