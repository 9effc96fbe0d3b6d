import { expect, test } from "vitest";
import { describeConsole, expectAccessible, SIZES } from "./_console.ts";
import { createProject, switchOf } from "./_flags.ts";

const ENVIRONMENTS = ["staging", "acceptance", "load-testing-in-the-second-region", "demo"];

describeConsole("a list of flags with long names in many environments", (console) => {
  test.each(SIZES)("shows whole names, all tags and all switches on a %s", async (size) => {
    for (const name of ENVIRONMENTS.map((environment) => `${environment}-${size}`)) {
      // oxlint-disable-next-line no-await-in-loop -- their order is that of their creation
      await console.admin("POST", "/environments", { name, type: "test" });
    }
    const project = `layout-${size}`;
    const flag = `${size}-${"name-of-a-flag-".repeat(6)}`;
    const tags = Array.from({ length: 6 }, (_, index) => ({
      type: "simple",
      value: `a-long-tag-${index}`,
    }));
    await createProject(console, project, [{ name: flag, tags }, { name: `${size}-short` }]);
    const page = await console.open(`/projects/${project}/flags`, { size });
    await page.getByText("2 flags", { exact: true }).waitFor();
    await expectAccessible(page);

    const link = page.getByRole("link", { name: flag, exact: true });
    expect(await link.evaluate(isWhole)).toBe(true);
    for (const { value } of tags) {
      const tag = page.getByRole("table").getByText(`simple:${value}`, { exact: true });
      // oxlint-disable-next-line no-await-in-loop -- one after the other is quick enough
      expect(await tag.evaluate(isWhole)).toBe(true);
    }
    for (const environment of ["development", "production", `demo-${size}`]) {
      const control = switchOf(page, flag, environment).locator("xpath=ancestor::label");
      // oxlint-disable-next-line no-await-in-loop -- one after the other is quick enough
      expect(await control.evaluate(isWhole)).toBe(true);
    }
  });
});

/** Whether no part of an element is cut off, by itself or by what contains it. */
function isWhole(element: Element): boolean {
  const { left, right } = element.getBoundingClientRect();
  const card = element.closest(".card")?.getBoundingClientRect();
  if (card === undefined || left < card.left || right > card.right) return false;
  const row = element.closest("[role=row]")?.getBoundingClientRect();
  const cell = element.closest("[role=cell], [role=rowheader]")?.getBoundingClientRect();
  const { bottom } = element.getBoundingClientRect();
  if (row === undefined || cell === undefined) return false;
  return bottom <= row.bottom && right <= cell.right + 1;
}
