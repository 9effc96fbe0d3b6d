import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { createUser, logIn, PASSWORD, requestLogin } from "../../admin/test/_accounts.ts";
import { choose, field, rowNames, runAction } from "./_actions.ts";
import { describeConsole, expectAccessible, type Size, SIZES } from "./_console.ts";
import { waitForMessage } from "./_flags.ts";

const NEW_PASSWORD = "another pear, in the tree";

describeConsole("one's own account", (console) => {
  const open = async (username: string, size: Size = "desktop"): Promise<Page> => {
    const page = await console.openSignedOut("/segments", { size, expected: /status of 40[19]/ });
    await field(page, "User name or email address").fill(username);
    await page.getByLabel("Password", { exact: true }).fill(PASSWORD);
    await page.keyboard.press("Enter");
    // Who is signed in is visible on all screens.
    await page.getByRole("banner").getByRole("link", { name: username }).click();
    await page.getByRole("heading", { level: 1, name: "Your account" }).waitFor();
    return page;
  };

  test.each(SIZES)("a user changes the password on a %s", async (size) => {
    const username = `mia-${size}`;
    await createUser(console, username, "Editor");
    const headers = await logIn(console, username);
    const page = await open(username, size);
    await page.getByText("Can change flags in open projects").waitFor();
    await expectAccessible(page);
    const old = page.getByLabel("Current password", { exact: true });
    const next = page.getByLabel("New password", { exact: true });
    const submit = page.getByRole("button", { name: "Change the password" });
    await old.fill("wrong password 1");
    await next.fill(username);
    await submit.click();
    // Either below the field or in its feedback, never both.
    await page
      .getByText(/more characters? needed/)
      .filter({ visible: true })
      .waitFor();
    await next.fill(NEW_PASSWORD);
    await submit.click();
    await page.getByRole("alert").filter({ hasText: "The current password is wrong." }).waitFor();
    await expectAccessible(page);
    await old.fill(PASSWORD);
    await submit.click();
    await waitForMessage(page, "Changed your password");
    await expect.poll(() => old.inputValue()).toBe("");
    await expectAccessible(page);
    expect((await console.request("/auth/session", { headers })).status).toBe(401);
    expect((await requestLogin(console, username)).status).toBe(401);
    await logIn(console, username, NEW_PASSWORD);
    // The own session continues.
    await page.reload();
    await page.getByRole("heading", { level: 1, name: "Your account" }).waitFor();
  });

  test.each(SIZES)("a personal token is created, shown once and deleted on a %s", async (size) => {
    const username = `noa-${size}`;
    await createUser(console, username);
    const page = await open(username, size);
    await page.getByRole("button", { name: "New personal token" }).click();
    const form = page.getByRole("dialog", { name: "New personal token" });
    await field(form, "Description").fill("Nightly report");
    await choose(form, "Expires", "In 7 days");
    await expectAccessible(page);
    await form.getByRole("button", { name: "Create token" }).click();
    const created = page.getByRole("dialog", { name: "Your new personal token Nightly report" });
    await created.getByText("shown only this once").waitFor();
    await expectAccessible(page);
    const secret = (await created.locator("code").first().textContent()) ?? "";
    await created.getByRole("button", { name: "Done" }).click();
    expect(await page.content()).not.toContain(secret);
    const read = () => console.request("/api/admin/user", { token: secret });
    expect(await (await read()).json()).toMatchObject({ user: { username } });
    await page.getByRole("row", { name: "Nightly report" }).getByText("soon").waitFor();
    await expectAccessible(page);

    await page.getByRole("button", { name: "New personal token" }).click();
    await field(form, "Description").fill("Nightly report");
    await form.getByRole("button", { name: "Create token" }).click();
    await form.getByText("You have a personal token with the description").waitFor();
    await form.getByRole("button", { name: "Cancel" }).click();
    await page.getByRole("button", { name: "Discard" }).click();
    await runAction(page, "Nightly report", "Delete");
    const deletion = page.getByRole("dialog", {
      name: "Delete the personal token Nightly report?",
    });
    await expectAccessible(page);
    await deletion.getByRole("button", { name: "Delete" }).click();
    await waitForMessage(page, "Deleted the personal token Nightly report");
    expect((await read()).status).toBe(401);
  });

  test.each(SIZES)("a user ends other sessions on a %s", async (size) => {
    const username = `olga-${size}`;
    await createUser(console, username);
    const statusOf = async () => {
      const headers = await logIn(console, username);
      return async () => (await console.request("/auth/session", { headers })).status;
    };
    const statuses = [await statusOf(), await statusOf(), await statusOf()];
    const read = () => Promise.all(statuses.map((status) => status()));
    const page = await open(username, size);
    await page.getByText("this browser").waitFor();
    await expect.poll(() => rowNames(page, "Your sessions")).toHaveLength(4);
    await expectAccessible(page);
    await page
      .getByRole("button", { name: /^End the session of/ })
      .first()
      .click();
    await waitForMessage(page, "Ended the session of");
    await expect.poll(async () => (await read()).toSorted()).toEqual([200, 200, 401]);
    await page.getByRole("button", { name: "End all others" }).click();
    const dialog = page.getByRole("dialog", { name: "End all your other sessions?" });
    await expectAccessible(page);
    await dialog.getByRole("button", { name: "End all others" }).click();
    await waitForMessage(page, "Ended your other sessions");
    expect(await read()).toEqual([401, 401, 401]);
    await expect.poll(() => rowNames(page, "Your sessions")).toHaveLength(1);
  });

  test("the menu leads to the page, and somebody with a token has no account", async () => {
    const page = await console.open("/segments");
    await page.getByRole("button", { name: "Account" }).click();
    await page.getByRole("menuitem", { name: "Your account" }).click();
    await page.getByText("You have no account of your own").waitFor();
    await page.getByRole("table", { name: "Your sessions" }).waitFor();
    expect(await page.getByRole("button", { name: "New personal token" }).count()).toBe(0);
    await expectAccessible(page);
  });

  test("admins see accounts among all sessions", async () => {
    await createUser(console, "pia");
    await logIn(console, "pia");
    const page = await console.open("/sessions");
    const row = page.getByRole("row", { name: "pia" });
    await row.getByText("with a password").waitFor();
    await row.getByText("node, 127.0.0.1").waitFor();
    await expectAccessible(page);
  });
});
