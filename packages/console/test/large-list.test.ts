import type { Locator } from "playwright-core";
import { expect, test } from "vitest";
import { describeConsole } from "./_console.ts";
import { shownFlags, switchOf } from "./_flags.ts";

describeConsole("a list of 5,000 flags", (console) => {
  test("a large list renders only its visible rows", async () => {
    for (let start = 0; start < 5000; start += 1000) {
      const features = Array.from({ length: 1000 }, (_, index) => ({
        name: `large-${String(start + index).padStart(4, "0")}`,
      }));
      // oxlint-disable-next-line no-await-in-loop -- one transaction after the other
      await console.admin("POST", "/projects/default/import", { version: 1, features });
    }
    const page = await console.open("/projects/default/flags");
    await page.getByText("5,000 flags", { exact: true }).waitFor();
    const table = page.getByRole("table", { name: "Flags" });
    expect(await table.getAttribute("aria-rowcount")).toBe("5001");
    const atTop = await shownFlags(page);
    expect(atTop[0]).toBe("large-0000");
    expect(atTop.length).toBeLessThan(60);

    await page.evaluate(() => window.scrollTo(0, document.documentElement.scrollHeight));
    await switchOf(page, "large-4999").waitFor();
    expect((await shownFlags(page)).length).toBeLessThan(60);
    await page.getByRole("searchbox").fill("4321");
    await expect.poll(() => shownFlags(page)).toEqual(["large-4321"]);
  });
});

describeConsole("a long table", (console) => {
  test("the headings of the columns stay below the header of the page", async () => {
    for (let index = 0; index < 40; index += 1) {
      // oxlint-disable-next-line no-await-in-loop -- one transaction after the other
      await console.admin("POST", "/segments", { name: `long-${index}`, constraints: [] });
    }
    const page = await console.open("/segments");
    const heading = page.getByRole("columnheader", { name: "Name" });
    await heading.waitFor();
    await page.evaluate(() => window.scrollTo(0, document.documentElement.scrollHeight));
    await page.getByRole("rowheader", { name: "long-9" }).waitFor();
    const topOf = async (locator: Locator) => (await locator.boundingBox())?.y;
    const header = await page.getByRole("banner").boundingBox();
    expect(await topOf(heading)).toBe((header?.y ?? 0) + (header?.height ?? 0));
  });
});
