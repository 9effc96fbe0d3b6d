import { expect, test } from "vitest";
import { describeConsole, expectAccessible, SIZES } from "./_console.ts";

describeConsole("the navigation", (console) => {
  test.each(SIZES)("the navigation leads to every page on a %s", async (size) => {
    const page = await console.open("/projects/default/flags", { size });
    const navigation = page.getByRole("navigation", { name: "Pages" });
    const menu = page.getByRole("button", { name: "Open the navigation" });
    for (const name of ["Archive", "Playground", "Segments", "Events", "Flags"]) {
      if (size === "phone") await menu.click();
      await navigation.getByRole("link", { name, exact: true }).click();
      await page.getByRole("heading", { level: 1, name }).waitFor();
      expect(await navigation.isVisible()).toBe(size === "desktop");
    }
    await expectAccessible(page);
  });

  test.each(SIZES)(
    "administration is one group, which the keyboard opens, on a %s",
    async (size) => {
      const page = await console.open("/projects/default/flags", { size });
      if (size === "phone") await page.getByRole("button", { name: "Open the navigation" }).click();
      const navigation = page.getByRole("navigation", { name: "Pages" });
      const tokens = navigation.getByRole("link", { name: "API tokens" });
      expect(await tokens.count()).toBe(0);
      await expectAccessible(page);
      await navigation.locator("summary").press("Enter");
      await expectAccessible(page);
      await tokens.press("Enter");
      await page.getByRole("heading", { level: 1, name: "API tokens" }).waitFor();

      // It is open where one of its pages is, and closes with the last of them.
      if (size === "phone") await page.getByRole("button", { name: "Open the navigation" }).click();
      await page.reload();
      await page.getByRole("heading", { level: 1, name: "API tokens" }).waitFor();
      if (size === "phone") await page.getByRole("button", { name: "Open the navigation" }).click();
      await tokens.waitFor();
      await navigation.getByRole("link", { name: "Segments" }).click();
      await page.getByRole("heading", { level: 1, name: "Segments" }).waitFor();
      expect(await tokens.count()).toBe(0);
    },
  );

  test("the navigation does not scroll on a small screen", async () => {
    const page = await console.open("/projects/default/flags");
    await page.setViewportSize({ width: 1280, height: 680 });
    const navigation = page.getByRole("navigation", { name: "Pages" });
    const hidden = await navigation.evaluate((nav) => nav.scrollHeight - nav.clientHeight);
    expect(hidden).toBe(0);
  });

  test.each(["/unknown", "/projects/default/unknown"])(
    "the navigation is also shown at the unknown address %s",
    async (address) => {
      const page = await console.open(address);
      await page.getByRole("heading", { level: 1, name: "There is nothing here" }).waitFor();
      await expectAccessible(page);
      const navigation = page.getByRole("navigation", { name: "Pages" });
      await navigation.getByRole("link", { name: "Segments" }).click();
      await page.getByRole("heading", { level: 1, name: "Segments" }).waitFor();
    },
  );
});
