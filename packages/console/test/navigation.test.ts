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
