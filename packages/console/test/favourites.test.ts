import { expect, test } from "vitest";
import { createUser, PASSWORD } from "../../admin/test/_accounts.ts";
import { describeConsole, expectAccessible, SIZES } from "./_console.ts";
import { createProject, shownFlags } from "./_flags.ts";

describeConsole("favourites", (console) => {
  const readFavorites = async (path: string, list: "features" | "projects", username: string) => {
    const response = await console.request("/auth/simple/login", {
      method: "POST",
      body: { username, password: PASSWORD },
    });
    const [cookie = ""] = response.headers.getSetCookie();
    const read = await console.request(`/api/admin${path}`, { headers: { cookie } });
    const body = (await read.json()) as Readonly<
      Record<string, readonly { name: string; favorite: boolean }[]>
    >;
    return (body[list] ?? []).filter(({ favorite }) => favorite).map(({ name }) => name);
  };

  test.each(SIZES)("come first in every list, on a %s", async (size) => {
    const [project, username] = [`starred-${size}`, `stargazer-${size}`];
    const flags = ["a", "b", "c"].map((name) => `${project}-${name}`);
    const [first = "", second = "", third = ""] = flags;
    await createProject(
      console,
      project,
      flags.map((name) => ({ name })),
    );
    await createUser(console, username, "Viewer");
    const page = await console.openSignedOut(`/projects/${project}/flags`, { size });
    await page.getByLabel("User name or email address").fill(username);
    await page.getByLabel("Password", { exact: true }).fill(PASSWORD);
    await page.keyboard.press("Enter");
    await expect.poll(() => shownFlags(page)).toEqual(flags);

    const star = (name: string) =>
      page.getByRole("button", { name: `${name} is a favourite`, exact: true });
    await star(third).click();
    await expect.poll(() => shownFlags(page)).toEqual([third, first, second]);
    const flagsPath = `/projects/${project}/features`;
    await expect.poll(() => readFavorites(flagsPath, "features", username)).toEqual([third]);
    await expectAccessible(page);

    await page.getByRole("link", { name: second, exact: true }).click();
    await page.getByRole("heading", { name: second, level: 1 }).waitFor();
    await star(second).click();
    await expect.poll(() => star(second).getAttribute("aria-pressed")).toBe("true");
    await expect
      .poll(() => readFavorites(flagsPath, "features", username))
      .toEqual([second, third]);
    await expectAccessible(page);
    await star(second).click();
    await expect.poll(() => readFavorites(flagsPath, "features", username)).toEqual([third]);

    await page.goto(`${console.url}/flags?project=${project}`);
    const table = page.getByRole("table", { name: "Flags of all projects" });
    await expect
      .poll(() => table.locator("tbody th a").allTextContents())
      .toEqual([third, first, second]);

    await page.goto(`${console.url}/projects`);
    await star(`Project ${project}`).click();
    await expect.poll(() => readFavorites("/projects", "projects", username)).toHaveLength(1);
    const names = page.getByRole("table", { name: "Projects" }).locator("tbody th a");
    await expect.poll(() => names.first().textContent()).toBe(`Project ${project}`);
    await expectAccessible(page);
  });

  test("a token has none", async () => {
    await createProject(console, "unstarred", [{ name: "unstarred" }]);
    const page = await console.open("/projects/unstarred/flags");
    await expect.poll(() => shownFlags(page)).toEqual(["unstarred"]);
    expect(await page.getByRole("button", { name: "unstarred is a favourite" }).count()).toBe(0);
  });
});
