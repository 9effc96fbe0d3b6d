import { expect, test } from "vitest";
import { describeConsole, expectAccessible, SIZES } from "./_console.ts";

describeConsole("the navigation", (console) => {
  test.each(SIZES)("leads to every page on a %s", async (size) => {
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

  test("loads the console again after a part of it could not be loaded", async () => {
    const page = await console.open("/projects/default/flags", {
      expected: /Failed to load|preload/,
    });
    await page.route("**/assets/tags-page*", (route) => route.abort());
    await page.getByRole("link", { name: "Tags" }).click();
    await page.getByText("A part of the console could not be loaded").waitFor();
    await expectAccessible(page);
    await page.unroute("**/assets/tags-page*");
    await page.getByRole("button", { name: "Try again" }).click();
    await page.getByRole("heading", { level: 1, name: "Tags" }).waitFor();
  });
});
