import { expect, test } from "vitest";
import { createUser } from "../../admin/test/_accounts.ts";
import { createFlag } from "../../admin/test/_flags.ts";
import { describeConsole, expectAccessible, SIZES } from "./_console.ts";

describeConsole("the page of a project", (console) => {
  test.each(SIZES)("shows health, stale flags, access and changes on a %s", async (size) => {
    const id = `shown-${size}`;
    await console.admin("POST", "/projects", {
      id,
      name: `Shown ${size}`,
      description: "See https://example.com",
      mode: "protected",
    });
    const anna = await createUser(console, `anna-${size}`);
    await console.admin("POST", `/projects/${id}/access`, { roles: [4], users: [anna.id] });
    for (const name of ["a", "b", "c", "d"]) {
      await createFlag(console, `${id}-${name}`, { project: id });
    }
    await console.admin("POST", `/projects/${id}/stale`, { features: [`${id}-b`], stale: true });

    const page = await console.open(`/projects/${id}/flags`, { size });
    if (size === "phone") await page.getByRole("button", { name: "Open the navigation" }).click();
    await page.getByRole("link", { name: "Overview" }).click();
    await page.getByRole("heading", { level: 1, name: `Shown ${size}` }).waitFor();
    const health = page.getByRole("region", { name: "Health" });
    await health.getByText("75 %").waitFor();
    await health.getByText("Of 4 flags, 1 is marked as stale").waitFor();
    const stale = page.getByRole("region", { name: "Flags to clean up" });
    expect(await stale.getByRole("link").allInnerTexts()).toEqual([
      `${id}-b`,
      "See why, and clean up",
    ]);
    const access = page.getByRole("region", { name: "Who can do what" });
    await access.getByText("Only its members change its flags.").waitFor();
    await access.getByText(`Owners: anna-${size}`).waitFor();
    await expectAccessible(page);

    // A change by somebody else appears without a reload.
    await createFlag(console, `${id}-e`, { project: id });
    const changes = page.getByRole("region", { name: "Recent changes" });
    await changes.getByText(`created the flag ${id}-e`).waitFor();
    await health.getByText("80 %").waitFor();
    await changes.getByRole("link", { name: "All changes of the project" }).click();
    await page.getByRole("heading", { level: 1, name: "Events" }).waitFor();
    expect(new URL(page.url()).searchParams.get("project")).toBe(id);
  });

  test("says that a new project has nothing to clean up", async () => {
    await console.admin("POST", "/projects", { id: "fresh", name: "Fresh" });
    const page = await console.open("/projects/fresh");
    await page.getByText("There are no flags yet.").waitFor();
    await page.getByText("100 %").waitFor();
    await page.getByText("Nobody has a role in this project.").waitFor();
    await page.getByRole("link", { name: "Settings" }).first().waitFor();
    await expectAccessible(page);
  });
});
