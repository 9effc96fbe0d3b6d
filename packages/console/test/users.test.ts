import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { createUser, logIn, PASSWORD, requestLogin } from "../../admin/test/_accounts.ts";
import { choose, field, rowNames, runAction } from "./_actions.ts";
import { describeConsole, expectAccessible, SIZES } from "./_console.ts";
import { waitForMessage } from "./_flags.ts";

interface StoredUser {
  readonly id: number;
  readonly username: string | null;
  readonly email: string | null;
  readonly name: string | null;
  readonly rootRole: number;
  readonly disabled: boolean;
  readonly invited: boolean;
}

/** Returns the secret that a dialog shows, and closes it. */
async function takeSecret(page: Page, title: string): Promise<string> {
  const dialog = page.getByRole("dialog", { name: title });
  await dialog.getByText("shown only this once").waitFor();
  await expectAccessible(page);
  const secret = (await dialog.locator("code").first().textContent()) ?? "";
  await dialog.getByRole("button", { name: "Done" }).click();
  await dialog.waitFor({ state: "detached" });
  expect(await page.content()).not.toContain(secret);
  return secret;
}

describeConsole("users", (console) => {
  const readUser = async (username: string): Promise<StoredUser | undefined> => {
    const { users } = (await console.admin("GET", "/user-admin")) as {
      readonly users: readonly StoredUser[];
    };
    return users.find((user) => user.username === username);
  };

  test.each(SIZES)("an admin invites somebody, who chooses a password, on a %s", async (size) => {
    const username = `gita-${size}`;
    const page = await console.open("/users", { size, expected: /status of 400/ });
    await page.getByRole("button", { name: "New user" }).click();
    const form = page.getByRole("dialog", { name: "New user" });
    await form.getByRole("button", { name: "Create user" }).click();
    await form.getByText("Enter a user name or an email address.").waitFor();
    await expectAccessible(page);
    await createUser(console, `taken-by-${size}`);
    await field(form, "User name").fill(`taken-by-${size}`);
    await form.getByRole("button", { name: "Create user" }).click();
    await form.getByText("The user name is taken: choose another one.").waitFor();
    await expectAccessible(page);
    await field(form, "User name").fill(username);
    await field(form, "Name (optional)").fill(`Gita ${size}`);
    await choose(form, "Role", "Editor");
    await form.getByRole("button", { name: "Create user" }).click();
    const link = await takeSecret(page, `Invite Gita ${size}`);
    expect(await readUser(username)).toMatchObject({ rootRole: 2, invited: true });
    await page.getByRole("searchbox").fill(username);
    const row = page.getByRole("row", { name: `Gita ${size}` });
    await row.getByText("invited").waitFor();
    await expectAccessible(page);

    const { pathname, search } = new URL(link);
    const other = await console.openSignedOut(pathname + search, { size });
    await other.getByLabel("Password", { exact: true }).fill(PASSWORD);
    await other.getByRole("button", { name: "Choose this password" }).click();
    await other.getByRole("banner").getByText(`Gita ${size}`).waitFor();
    // The page of the admin follows.
    await row.getByText("a password").waitFor();
  });

  test.each(SIZES)(
    "a user gets another role and a link for a new password on a %s",
    async (size) => {
      const username = `hana-${size}`;
      await createUser(console, username);
      const page = await console.open("/users", { size });
      await page.getByRole("searchbox").fill(username);
      await runAction(page, username, "Edit");
      const form = page.getByRole("dialog", { name: `Edit ${username}` });
      await field(form, "Email address").fill(`${username}@example.com`);
      await choose(form, "Role", "Admin");
      await form.getByText("Can change everything").waitFor();
      await expectAccessible(page);
      await form.getByRole("button", { name: "Save" }).click();
      const message = await waitForMessage(page, `Changed ${username}`);
      expect(await readUser(username)).toMatchObject({
        rootRole: 1,
        email: `${username}@example.com`,
      });
      await message.getByRole("button", { name: "Undo" }).click();
      await expect.poll(async () => (await readUser(username))?.rootRole).toBe(3);

      await runAction(page, username, "Create a link for a new password");
      const confirmation = page.getByRole("dialog", { name: `A new password for ${username}?` });
      await expectAccessible(page);
      await confirmation.getByRole("button", { name: "Create the link" }).click();
      const link = await takeSecret(page, `A new password for ${username}`);
      const { pathname, search } = new URL(link);
      expect(pathname).toBe("/reset-password");
      const response = await console.request(`/auth/reset/validate${search}`);
      expect(await response.json()).toMatchObject({ username, kind: "reset" });
    },
  );

  test.each(SIZES)("a user is disabled, enabled and deleted on a %s", async (size) => {
    const username = `ivan-${size}`;
    await createUser(console, username);
    const headers = await logIn(console, username);
    const status = async () => (await console.request("/auth/session", { headers })).status;
    const page = await console.open("/users", { size });
    await page.getByRole("searchbox").fill(username);
    await runAction(page, username, "Disable");
    const disabling = page.getByRole("dialog", { name: `Disable ${username}?` });
    await disabling.getByText("signed out everywhere at once").waitFor();
    await expectAccessible(page);
    expect(await status()).toBe(200);
    await disabling.getByRole("button", { name: "Disable" }).click();
    await waitForMessage(page, `Disabled ${username}`);
    expect(await status()).toBe(401);
    expect((await requestLogin(console, username)).status).toBe(401);
    await page.getByRole("row", { name: username }).getByText("disabled").waitFor();
    await expectAccessible(page);

    await runAction(page, username, "Enable");
    await waitForMessage(page, `Enabled ${username}`);
    await logIn(console, username);
    await runAction(page, username, "Delete");
    const deletion = page.getByRole("dialog", { name: `Delete the account of ${username}?` });
    await deletion.getByText("Events keep the name").waitFor();
    await expectAccessible(page);
    await deletion.getByRole("button", { name: "Delete" }).click();
    await waitForMessage(page, `Deleted the account of ${username}`);
    expect(await readUser(username)).toBeUndefined();
    await page.getByRole("heading", { name: "No user matches" }).waitFor();
  });

  test("the list can be searched, and filtered by role", async () => {
    for (const [name, role] of [
      ["filter-jo", "Viewer"],
      ["filter-kim", "Editor"],
    ] as const) {
      // oxlint-disable-next-line no-await-in-loop -- in this order
      await createUser(console, name, role);
    }
    const page = await console.open("/users");
    await page.getByRole("searchbox").fill("filter-");
    await expect.poll(() => rowNames(page, "Users")).toEqual(["filter-jo", "filter-kim"]);
    await choose(page, "Role", "Editor");
    await expect.poll(() => rowNames(page, "Users")).toEqual(["filter-kim"]);
    await page.getByRole("searchbox").fill("filter-jo");
    await page.getByRole("heading", { name: "No user matches" }).waitFor();
    await expectAccessible(page);
  });

  test("an admin is warned about the own account, and the only one stays", async () => {
    await createUser(console, "lea", "Admin");
    const page = await console.openSignedOut("/users", { expected: /status of 40[13]/ });
    await field(page, "User name or email address").fill("lea");
    await page.getByLabel("Password", { exact: true }).fill(PASSWORD);
    await page.keyboard.press("Enter");
    await page.getByRole("row", { name: "lea" }).getByText("you").waitFor();
    await runAction(page, "lea", "Edit");
    const form = page.getByRole("dialog", { name: "Edit lea" });
    await choose(form, "Role", "Viewer");
    await form.getByText("This is your own account").waitFor();
    await expectAccessible(page);
    await form.getByRole("button", { name: "Save" }).click();
    await form.getByText("This is the only account of an admin").waitFor();
    await form.getByRole("button", { name: "Cancel" }).click();
    await page.getByRole("button", { name: "Discard" }).click();
    await runAction(page, "lea", "Delete");
    const deletion = page.getByRole("dialog", { name: "Delete the account of lea?" });
    await deletion.getByText("signs you out at once").waitFor();
    await deletion.getByRole("button", { name: "Delete" }).click();
    await deletion.getByText("This is the only account of an admin").waitFor();
    expect(await readUser("lea")).toMatchObject({ rootRole: 1 });
  });

  test.each(SIZES)("an invite link is created, disabled and enabled on a %s", async (size) => {
    const name = `Guests on a ${size}`;
    const page = await console.open("/users", { size });
    await page.getByRole("button", { name: "New invite link" }).click();
    const form = page.getByRole("dialog", { name: "New invite link" });
    await field(form, "Name").fill(name);
    await choose(form, "Works for", "A day");
    await expectAccessible(page);
    await form.getByRole("button", { name: "Create link" }).click();
    const link = await takeSecret(page, `Your new invite link ${name}`);
    const secret = new URL(link).searchParams.get("invite") ?? "";
    const validate = async () => (await console.request(`/invite/${secret}/validate`)).status;
    expect(await validate()).toBe(200);
    await expectAccessible(page);
    await runAction(page, name, "Disable");
    const message = await waitForMessage(page, `Disabled ${name}`);
    expect(await validate()).toBe(400);
    await message.getByRole("button", { name: "Undo" }).click();
    await expect.poll(validate).toBe(200);
  });

  test("others see only that the page is for admins", async () => {
    const page = await console.open("/users", { role: "editor" });
    await page.getByRole("heading", { name: "Only admins can see the accounts" }).waitFor();
    await expectAccessible(page);
    expect(await page.getByRole("button", { name: /^New / }).count()).toBe(0);
  });
});
