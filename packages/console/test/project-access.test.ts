import { expect, test } from "vitest";
import { createUser, PASSWORD } from "../../admin/test/_accounts.ts";
import { choose } from "./_actions.ts";
import { describeConsole, expectAccessible, SIZES } from "./_console.ts";
import { createProject, waitForMessage } from "./_flags.ts";

describeConsole("who can see and change a project", (console) => {
  test.each(SIZES)("a project is made private, and somebody its member on a %s", async (size) => {
    const id = `access-${size}`;
    const member = await createUser(console, `member-${size}`);
    const other = await createUser(console, `other-${size}`, "Editor");
    await createProject(console, id, [{ name: `flag-${size}` }]);
    const page = await console.open(`/projects/${id}/settings`, { size });
    await choose(page, "Who sees and changes the project", "Private");
    await waitForMessage(page, `The project Project ${id} is now private`);
    await page.getByRole("button", { name: "Give somebody access" }).click();
    const dialog = page.getByRole("dialog");
    await choose(dialog, "Person", member.username);
    await expectAccessible(page);
    await dialog.getByRole("button", { name: "Give access" }).click();
    await page.getByRole("listitem").filter({ hasText: member.username }).waitFor();
    await expectAccessible(page);

    const session = async (username: string) => {
      const response = await console.request("/auth/simple/login", {
        method: "POST",
        body: { username, password: PASSWORD },
      });
      const [cookie = ""] = response.headers.getSetCookie();
      return { cookie: cookie.split(";")[0] ?? "", "sec-fetch-site": "same-origin" };
    };
    const [ofMember, ofOther] = [await session(member.username), await session(other.username)];
    const read = async (headers: Readonly<Record<string, string>>) =>
      (await console.request(`/api/admin/projects/${id}`, { headers })).status;
    expect([await read(ofMember), await read(ofOther)]).toEqual([200, 404]);

    await choose(page, `Role of ${member.username}`, "Owner");
    await waitForMessage(page, `${member.username} is now an owner`);
    const { users } = (await console.admin("GET", `/projects/${id}/access`)) as {
      readonly users: readonly object[];
    };
    expect(users).toMatchObject([{ id: member.id, roleId: 4 }]);

    await page.getByRole("button", { name: `Remove ${member.username}` }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Remove" }).click();
    await page.getByText("Nobody has a role in this project.").waitFor();
    expect(await read(ofMember)).toBe(404);
  });

  test("an editor cannot change the flags of a protected project, and sees who can", async () => {
    await createProject(console, "walled", [{ name: "walled-flag" }]);
    await console.admin("PUT", "/projects/walled/settings", { mode: "protected" });
    const page = await console.open("/projects/walled/flags", { role: "viewer" });
    await page.getByRole("link", { name: "walled-flag", exact: true }).waitFor();
    expect(await page.getByText("First steps").count()).toBe(0);
    expect(await page.getByRole("button", { name: "New flag" }).count()).toBe(0);
    await page.goto(`${console.url}/projects/walled/settings`);
    await page.getByRole("heading", { name: "Access" }).waitFor();
    expect(await page.getByRole("button", { name: "Give somebody access" }).count()).toBe(0);
    await expectAccessible(page);
  });
});
