import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { createSetupCode } from "../../admin/src/accounts/setup.ts";
import { SYSTEM_ACTOR } from "../../admin/src/storage/events.ts";
import { apiTokens } from "../../admin/src/storage/schema/access.ts";
import { inviteLinks, userLinks } from "../../admin/src/storage/schema/accounts.ts";
import { createUser, logIn, PASSWORD, requestLogin } from "../../admin/test/_accounts.ts";
import { ADMIN_TOKEN, type Service, startService } from "../../admin/test/_service.ts";
import type { StorageSource } from "../../admin/test/_storages.ts";
import { sized } from "../../../scripts/test-size.ts";
import { field } from "./_actions.ts";
import {
  CONSOLE_DIRECTORY,
  describeConsole,
  expectAccessible,
  openPage,
  SIZES,
} from "./_console.ts";

const NEW_PASSWORD = "another pear, in the tree";
const REFUSALS = /status of 4\d\d/;

/** Waits until the page is open for somebody who is signed in. */
async function waitForUser(page: Page, name: string): Promise<void> {
  await page.getByRole("banner").getByText(name).waitFor();
}

/** Fails if scripts, the screen or the history of the tab could still reveal the secret of a link. */
async function expectHidden(page: Page, secret: string): Promise<void> {
  const text = await page.evaluate(() =>
    JSON.stringify([
      location.href,
      history.state,
      document.documentElement.outerHTML,
      Object.entries(localStorage),
      Object.entries(sessionStorage),
    ]),
  );
  expect(text).not.toContain(secret);
  const session = await page.context().newCDPSession(page);
  const { entries } = await session.send("Page.getNavigationHistory");
  await session.detach();
  expect(entries.map(({ url }) => url).join()).not.toContain(secret);
}

describeConsole("signing in with a password", (console) => {
  test.each(SIZES)(
    "a user signs in with the user name or the email address on a %s",
    async (size) => {
      const [username, email] = [`anna-${size}`, `anna-${size}@example.com`];
      await console.admin("POST", "/user-admin", {
        username,
        email,
        name: `Anna ${size}`,
        password: PASSWORD,
        rootRole: "Editor",
      });
      for (const login of [username, ` ${email} `]) {
        const page = await console.openSignedOut("/segments", { size, expected: REFUSALS });
        await field(page, "User name or email address").fill(login);
        await page.getByLabel("Password", { exact: true }).fill("wrong password 1");
        await page.keyboard.press("Enter");
        await page.getByRole("alert").filter({ hasText: "do not match" }).waitFor();
        await expectAccessible(page);
        await page.getByRole("button", { name: "Show the password" }).click();
        expect(await field(page, "Password").inputValue()).toBe("wrong password 1");
        await field(page, "Password").fill(PASSWORD);
        await page.getByRole("button", { name: "Sign in", exact: true }).click();
        await waitForUser(page, `Anna ${size}`);
        expect(new URL(page.url()).pathname).toBe("/segments");
      }
    },
  );

  test("tokens stay possible, below the form for passwords", async () => {
    await createUser(console, "somebody");
    const page = await console.openSignedOut("/sign-in");
    await field(page, "User name or email address").waitFor();
    expect(await page.getByLabel("API token").isVisible()).toBe(false);
    await page.getByText("Sign in with an API token").focus();
    await page.keyboard.press("Enter");
    await page.getByLabel("API token").fill(ADMIN_TOKEN);
    await expectAccessible(page);
    await page.getByRole("button", { name: "Sign in with the token" }).click();
    await waitForUser(page, "init-admin");
  });

  // Each wrong password costs the service most of a second.
  test.each(sized([], ["desktop"]))(
    "after too many wrong passwords, the page says how long to wait on a %s",
    async () => {
      await createUser(console, "target");
      const page = await console.openSignedOut("/sign-in", { expected: REFUSALS });
      await field(page, "User name or email address").fill("target");
      await page.getByLabel("Password", { exact: true }).fill(PASSWORD);
      let status = 401;
      // On a busy machine, some more are allowed in the meantime.
      for (let index = 1; status === 401 && index < 60; index += 1) {
        // oxlint-disable-next-line no-await-in-loop -- two at a time are computed anyway
        ({ status } = await requestLogin(console, "target", `guess number ${index}`));
      }
      expect(status).toBe(429);
      await page.keyboard.press("Enter");
      await page
        .getByRole("alert")
        .getByText(/^Too many attempts to sign in have failed: try again in \d+ s\.$/)
        .waitFor();
      await expectAccessible(page);
    },
  );
});

describeConsole("links to choose a password", (console) => {
  const invite = async (username: string): Promise<string> => {
    const body = { username, rootRole: "Editor" };
    const created = (await console.admin("POST", "/user-admin", body)) as { inviteLink: string };
    return created.inviteLink;
  };
  const reset = async (id: string): Promise<string> => {
    const created = (await console.admin("POST", "/user-admin/reset-password", { id })) as {
      resetPasswordUrl: string;
    };
    return created.resetPasswordUrl;
  };
  const pathOf = (link: string): string => new URL(link).pathname + new URL(link).search;
  const secretOf = (link: string): string => new URL(link).searchParams.get("token") ?? "";

  test.each(SIZES)("an invited user chooses a password and is signed in on a %s", async (size) => {
    const username = `bob-${size}`;
    const link = await invite(username);
    const page = await console.openSignedOut(pathOf(link), { size, expected: REFUSALS });
    await page.getByRole("heading", { level: 1, name: `Welcome, ${username}` }).waitFor();
    await page.getByText("with the role editor").waitFor();
    await expectHidden(page, secretOf(link));
    await expectAccessible(page);
    const password = page.getByLabel("Password", { exact: true });
    const feedback = page.getByRole("status");
    await password.fill("too short");
    await feedback.filter({ hasText: "3 more characters needed." }).waitFor();
    await password.fill("password1234");
    await feedback.filter({ hasText: "guessed first" }).waitFor();
    await page.keyboard.press("Enter");
    await expect.poll(() => page.locator(":focus").getAttribute("name")).toBe("password");
    await expectAccessible(page);
    await password.fill(PASSWORD);
    await feedback.filter({ hasText: "This password can be used." }).waitFor();
    await expectAccessible(page);
    await page.keyboard.press("Enter");
    await waitForUser(page, username);
    await logIn(console, username);

    // Nothing is left for whoever goes back, and the link works once.
    await page.goBack().catch(() => undefined);
    const again = await console.openSignedOut(pathOf(link), { size, expected: REFUSALS });
    await again.getByRole("alert").filter({ hasText: "The link has been used" }).waitFor();
    await expectAccessible(again);
    await again.getByRole("link", { name: "Go to the sign-in" }).click();
    await field(again, "User name or email address").waitFor();
  });

  test("a new password ends the sessions of the user, and warns somebody else who is signed in", async () => {
    await createUser(console, "carl");
    const headers = await logIn(console, "carl");
    const link = await reset("carl");
    const page = await console.open("/segments");
    await page.goto(console.url + pathOf(link));
    await page.getByRole("heading", { level: 1, name: "Choose a new password" }).waitFor();
    await page.getByText("You are signed in as init-admin in this browser").waitFor();
    await expectHidden(page, secretOf(link));
    await expectAccessible(page);
    await page.getByLabel("Password", { exact: true }).fill(NEW_PASSWORD);
    await page.getByRole("button", { name: "Change the password" }).click();
    await waitForUser(page, "carl");
    expect((await console.request("/auth/session", { headers })).status).toBe(401);
    expect((await requestLogin(console, "carl")).status).toBe(401);
    await logIn(console, "carl", NEW_PASSWORD);
  });

  test("links that are replaced, have expired or are incomplete are explained", async () => {
    await createUser(console, "dora");
    const [replaced, expired] = [await reset("dora"), await reset("dora")];
    await console.storage.transact((db) => db.update(userLinks).set({ expiresAt: new Date() }));
    for (const [path, message] of [
      [pathOf(replaced), "expired or was replaced"],
      [pathOf(expired), "expired or was replaced"],
      ["/reset-password", "The address is incomplete"],
      ["/new-user", "The address is incomplete"],
      ["/new-user?invite=unknown", "The invite link is unknown, disabled or has expired"],
    ] as const) {
      const page = await console.openSignedOut(path, { expected: REFUSALS });
      await page.getByRole("heading", { level: 1, name: "This link cannot be used" }).waitFor();
      await page.getByRole("alert").filter({ hasText: message }).waitFor();
      await expectAccessible(page);
    }
  });

  test.each(SIZES)("people create accounts with an invite link on a %s", async (size) => {
    const { url, secret } = (await console.admin("POST", "/invite-link/tokens", {
      name: `team on a ${size}`,
      expiresAt: new Date(Date.now() + 86_400_000).toISOString(),
    })) as { url: string; secret: string };
    const [username, email] = [`fay-${size}`, `fay-${size}@example.com`];
    const page = await console.openSignedOut(pathOf(url), { size, expected: REFUSALS });
    await page.getByRole("heading", { level: 1, name: "Create your account" }).waitFor();
    await expectHidden(page, secret);
    await field(page, "Email address").fill(email);
    await createUser(console, `taken-${size}`);
    await field(page, "User name (optional)").fill(`taken-${size}`);
    await page.getByLabel("Password", { exact: true }).fill(PASSWORD);
    await page.keyboard.press("Enter");
    await page.getByText("The user name is taken: choose another one.").waitFor();
    await expectAccessible(page);
    await field(page, "User name (optional)").fill(username);
    await page.getByRole("button", { name: "Create the account" }).click();
    await waitForUser(page, username);
    const { users } = (await console.admin("GET", "/user-admin")) as {
      users: { username: string | null; email: string | null; rootRole: number }[];
    };
    expect(users.find((user) => user.username === username)).toMatchObject({ email, rootRole: 3 });
    await console.storage.transact((db) => db.update(inviteLinks).set({ enabled: false }));
    const other = await console.openSignedOut(pathOf(url), { size, expected: REFUSALS });
    await other.getByRole("alert").filter({ hasText: "disabled or has expired" }).waitFor();
  });
});

describeConsole("the setup", (_console, source) => {
  test.each(SIZES)("the printed link creates the first account on a %s", async (size) => {
    const { service, code } = await startWithoutAdmin(source);
    const signIn = await openPage(`${service.url}/segments`, { size, expected: REFUSALS });
    await signIn.getByText("Nobody can administer this service yet").waitFor();
    await signIn.getByText("flags-admin setup-code").waitFor();
    await expectAccessible(signIn);
    await signIn.getByRole("link", { name: "I have a setup code" }).click();
    await field(signIn, "Setup code").waitFor();

    const page = await openPage(`${service.url}/setup#${code}`, { size });
    await page.getByRole("heading", { level: 1, name: "Set up flags" }).waitFor();
    expect(await field(page, "Setup code").count()).toBe(0);
    await page.waitForURL(`${service.url}/setup`);
    await expectHidden(page, code);
    await field(page, "User name").fill("root");
    await field(page, "Email address (optional)").fill("root@example.com");
    await page.getByLabel("Password", { exact: true }).fill(PASSWORD);
    await expectAccessible(page);
    await page.getByRole("button", { name: "Create the account" }).click();
    await waitForUser(page, "root");
    const headers = await logIn(service, "root@example.com");
    const me = await service.request("/api/admin/user", { headers });
    expect(await me.json()).toMatchObject({ role: "admin", user: { username: "root" } });

    // The other page learns that it is too late.
    await field(signIn, "Setup code").fill(code);
    await field(signIn, "User name").fill("second");
    await signIn.getByLabel("Password", { exact: true }).fill(PASSWORD);
    await signIn.getByRole("button", { name: "Create the account" }).click();
    await signIn.getByRole("heading", { level: 1, name: "set up already" }).waitFor();
    await expectAccessible(signIn);
    await signIn.getByRole("link", { name: "Sign in" }).click();
    await field(signIn, "User name or email address").waitFor();
  });

  test("a wrong code can be corrected", async () => {
    const { service, code } = await startWithoutAdmin(source);
    const page = await openPage(`${service.url}/setup#not-the-code`, { expected: REFUSALS });
    await field(page, "User name").fill("root");
    await page.getByLabel("Password", { exact: true }).fill(PASSWORD);
    await page.getByRole("button", { name: "Create the account" }).click();
    await page.getByRole("alert").filter({ hasText: "wrong or has expired" }).waitFor();
    await expectAccessible(page);
    await field(page, "Setup code").fill(code);
    await page.getByRole("button", { name: "Create the account" }).click();
    await waitForUser(page, "root");
  });
});

/** Starts a service that nobody can administer. */
async function startWithoutAdmin(
  source: StorageSource,
): Promise<{ readonly service: Service; readonly code: string }> {
  const storage = await source.openFresh();
  const service = await startService(storage, {}, { consoleDirectory: CONSOLE_DIRECTORY });
  await storage.transact((db) => db.delete(apiTokens));
  const code = await storage.write(SYSTEM_ACTOR, createSetupCode);
  return { service, code };
}
