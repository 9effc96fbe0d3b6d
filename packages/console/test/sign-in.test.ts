import { once } from "node:events";
import { createServer, request as sendRequest } from "node:http";
import type { AddressInfo } from "node:net";
import type { Page } from "playwright-core";
import { expect, onTestFinished, test } from "vitest";
import { createToken } from "../../admin/test/_flags.ts";
import { ADMIN_TOKEN, BACKEND_TOKEN, startService } from "../../admin/test/_service.ts";
import {
  CONSOLE_DIRECTORY,
  describeConsole,
  expectAccessible,
  openPage,
  signIn,
  SIZES,
} from "./_console.ts";
import { waitForMessage } from "./_flags.ts";

const FLAGS = "/projects/default/flags";

describeConsole("signing in", (console, source) => {
  test.each(SIZES)("the sign-in explains why a token is refused on a %s", async (size) => {
    const page = await console.openSignedOut(FLAGS, { size, expected: /status of 40[13]/ });
    await page.waitForURL(`**/sign-in?returnTo=${encodeURIComponent(FLAGS)}`);
    await expectAccessible(page);
    const alert = page.getByRole("alert");
    for (const [token, message] of [
      ["*:*.not-a-token-of-this-service", "This token is unknown, expired or deleted"],
      [BACKEND_TOKEN, "This token is for SDKs: sign in with a token of type admin"],
    ] as const) {
      await page.getByLabel("API token").fill(token);
      await page.keyboard.press("Enter");
      await alert.filter({ hasText: message }).waitFor();
      await expectAccessible(page);
    }
    // A copied token may have white space around it.
    await signIn(page, ` ${ADMIN_TOKEN}\n`);
    expect(new URL(page.url()).pathname).toBe(FLAGS);
    await page.getByRole("heading", { level: 1, name: "Flags" }).waitFor();
  });

  test.each([
    ["viewer", 0],
    ["editor", 1],
    ["admin", 1],
  ] as const)("a user with the role %s sees what it allows", async (role, buttons) => {
    const page = await console.open(FLAGS, { role });
    await page.getByText(`(${role})`).waitFor();
    await page.getByText("This project has no flags yet").waitFor();
    expect(await page.getByRole("button", { name: "New flag" }).count()).toBe(buttons);
  });

  test("signing out ends the session on the server", async () => {
    const page = await console.open(FLAGS);
    const cookies = await page.context().cookies();
    const [session] = cookies;
    expect(cookies).toMatchObject([{ httpOnly: true, sameSite: "Strict" }]);
    const header = { cookie: `${session?.name}=${session?.value}` };
    expect((await console.request("/auth/session", { headers: header })).status).toBe(200);

    await page.getByRole("button", { name: "Account" }).click();
    await page.getByRole("group", { name: "init-admin (admin)" }).waitFor();
    await page.getByRole("menuitem", { name: "Sign out" }).click();
    await page.waitForURL("**/sign-in");
    expect((await console.request("/auth/session", { headers: header })).status).toBe(401);
    await page.goBack();
    await page.waitForURL("**/sign-in**");
  });

  test("a sign-out that fails keeps the page open and says so", async () => {
    const page = await console.open(FLAGS, { expected: /status of 503|ERR_FAILED/ });
    await page.getByText("This project has no flags yet").waitFor();
    const signOut = async (): Promise<void> => {
      await page.getByRole("button", { name: "Account" }).click();
      await page.getByRole("menuitem", { name: "Sign out" }).click();
    };
    for (const response of [{ status: 503, body: "{}" }, undefined]) {
      await page.route(
        "**/auth/session",
        (route) => (response === undefined ? route.abort() : route.fulfill(response)),
        { times: 1 },
      );
      await signOut();
      const message = await waitForMessage(page, "You are still signed in");
      await expectAccessible(page);
      expect(new URL(page.url()).pathname).toBe(FLAGS);
      await message.getByRole("button", { name: "Close" }).click();
      await message.waitFor({ state: "detached" });
    }
    await signOut();
    await page.waitForURL("**/sign-in");
  });

  test("a form keeps what was typed if the session ends before it is saved", async () => {
    const { id, secret } = await createToken(console, { type: "editor" });
    const expected = /status of 401|ERR_FAILED/;
    const page = await console.openSignedOut("/segments", { expected });
    // Otherwise the page notices the end of the session before the change.
    await page.route("**/api/admin/changes", (route) => route.abort());
    await signIn(page, secret);
    await page.getByRole("button", { name: "New segment" }).click();
    const form = page.getByRole("dialog", { name: "New segment" });
    await form.getByLabel("Name").fill("just-in-time");
    await console.admin("DELETE", `/api-tokens/${id}`);

    await form.getByRole("button", { name: "Create segment" }).click();
    const ended = page.getByRole("dialog", { name: "You are no longer signed in" });
    await ended.waitFor();
    await expectAccessible(page);
    await page.keyboard.press("Escape");
    const { secret: again } = await createToken(console, { type: "editor" });
    await ended.getByLabel("API token").fill(again);
    await ended.getByRole("button", { name: "Sign in" }).click();
    await ended.waitFor({ state: "detached" });
    await form.getByText("Your session had ended. Try again.").waitFor();
    expect(await form.getByLabel("Name").inputValue()).toBe("just-in-time");
    await form.getByRole("button", { name: "Create segment" }).click();
    await waitForMessage(page, "Created just-in-time");
  });

  test("a page whose session has ended shows nothing until somebody signs in again", async () => {
    const { id, secret } = await createToken(console, { type: "editor" });
    const expected = /status of 401|ERR_FAILED/;
    const page = await console.openSignedOut("/segments", { expected });
    const following = page.waitForRequest("**/api/admin/changes");
    await signIn(page, secret);
    await page.getByRole("button", { name: "New segment" }).click();
    const form = page.getByRole("dialog", { name: "New segment" });
    await form.getByLabel("Name").fill("typed before");
    await (await following).response();
    await console.admin("DELETE", `/api-tokens/${id}`);
    const ended = page.getByRole("dialog", { name: "You are no longer signed in" });
    await ended.waitFor();
    const background = await page.evaluate(() => {
      const top = document.elementFromPoint(1, 1) ?? document.body;
      return getComputedStyle(top).backgroundColor;
    });
    // A colour with transparency begins with "rgba".
    expect(background).toMatch(/^rgb\(/);

    // The network fails meanwhile.
    await page.route(/\/(auth|api)\//, (route) => route.abort());
    await returnToTab(page);
    await page.getByText("The service cannot be reached").waitFor({ state: "attached" });
    expect(await ended.isVisible()).toBe(true);
    await page.unrouteAll();

    await console.admin("POST", "/segments", { name: "meanwhile", constraints: [] });
    const other = await page.context().newPage();
    await other.goto(`${console.url}/segments`);
    const { secret: again } = await createToken(console, { type: "editor" });
    await signIn(other, again);
    await other.close();
    await returnToTab(page);
    await ended.waitFor({ state: "detached" });
    expect(await form.getByLabel("Name").inputValue()).toBe("typed before");
    await form.getByRole("button", { name: "Cancel" }).click();
    await page.getByRole("button", { name: "Discard" }).click();
    await page.getByRole("row", { name: "meanwhile" }).waitFor();
    await console.admin("POST", "/segments", { name: "afterwards", constraints: [] });
    await page.getByRole("row", { name: "afterwards" }).waitFor();
  });

  test("nothing of an open page is left for another user who signs in after the session has ended", async () => {
    const { id, secret } = await createToken(console, { type: "editor" });
    const page = await console.openSignedOut("/segments", { expected: /status of 401/ });
    const following = page.waitForRequest("**/api/admin/changes");
    await signIn(page, secret);
    await page.getByRole("button", { name: "New segment" }).click();
    const form = page.getByRole("dialog", { name: "New segment" });
    await form.getByLabel("Name").fill("typed by the editor");
    await (await following).response();
    await console.admin("DELETE", `/api-tokens/${id}`);
    const ended = page.getByRole("dialog", { name: "You are no longer signed in" });
    await ended.getByLabel("API token").fill(ADMIN_TOKEN);
    await ended.getByRole("button", { name: "Sign in" }).click();
    await page.getByText("(admin)").waitFor();
    expect(await form.count()).toBe(0);
    expect(new URL(page.url()).pathname).toBe("/segments");
  });

  test("the sign-in leads to the page below the path of PUBLIC_URL", async () => {
    let serviceUrl = "";
    const gatewayUrl = await startGateway("/flags", () => serviceUrl);
    const service = await startService(
      await source.openFresh(),
      { publicUrl: `${gatewayUrl}/flags/` },
      { consoleDirectory: CONSOLE_DIRECTORY },
    );
    serviceUrl = service.url;
    const page = await openPage(`${gatewayUrl}/flags/segments`, { expected: /status of 401/ });
    await page.getByLabel("API token").fill(ADMIN_TOKEN);
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.getByRole("heading", { level: 1, name: "Segments" }).waitFor();
    expect(page.url()).toBe(`${gatewayUrl}/flags/segments`);
    await page.reload();
    await page.getByRole("heading", { level: 1, name: "Segments" }).waitFor();
  });

  test.each(["https://example.com/", "//example.com", "/\\example.com", "javascript:alert(1)"])(
    "the address cannot lead to another site: %s",
    async (target) => {
      const path = `/sign-in?returnTo=${encodeURIComponent(target)}`;
      const page = await console.openSignedOut(path);
      await signIn(page, ADMIN_TOKEN);
      await page.waitForURL(`${console.url}/**`);
      await page.getByRole("heading", { level: 1 }).waitFor();
      expect(new URL(page.url()).origin).toBe(console.url);
    },
  );

  test("no script can read the token or the session", async () => {
    const page = await console.open(FLAGS);
    await page.getByText("This project has no flags yet").waitFor();
    const [cookie] = await page.context().cookies();
    const readable = await readEverything(page);
    // What is kept is found.
    expect(readable).toContain("flags.theme");
    for (const secret of [ADMIN_TOKEN, cookie?.value ?? ADMIN_TOKEN]) {
      expect(readable).not.toContain(secret);
      expect(readable).not.toContain(encodeURIComponent(secret));
    }
  });
});

/** Starts a server that forwards requests below a path, without this path. Other requests get a 404. */
async function startGateway(path: string, targetUrl: () => string): Promise<string> {
  const gateway = createServer((request, response) => {
    const { url = "", method, headers } = request;
    if (!url.startsWith(`${path}/`)) {
      response.writeHead(404).end();
      return;
    }
    const target = new URL(url.slice(path.length), targetUrl());
    const forwarded = sendRequest(target, { method, headers }, (received) => {
      response.writeHead(received.statusCode ?? 502, received.headers);
      received.pipe(response);
    });
    response.once("close", () => forwarded.destroy());
    forwarded.once("error", () => response.destroy());
    request.pipe(forwarded);
  });
  gateway.listen(0, "127.0.0.1");
  await once(gateway, "listening");
  onTestFinished(() => {
    gateway.close();
    gateway.closeAllConnections();
  });
  return `http://127.0.0.1:${(gateway.address() as AddressInfo).port}`;
}

/** Does what the browser does when its user returns to a tab. */
async function returnToTab(page: Page): Promise<void> {
  await page.evaluate(() =>
    document.dispatchEvent(new Event("visibilitychange", { bubbles: true })),
  );
}

/** Returns all text that scripts of the page can read and keep: storage, document, address and cookies. */
async function readEverything(page: Page): Promise<string> {
  return page.evaluate(async () => {
    const databases = await indexedDB.databases();
    const cacheNames = await caches.keys();
    const fields = [...document.querySelectorAll("input")].map(({ value }) => value);
    return JSON.stringify([
      Object.entries(localStorage),
      Object.entries(sessionStorage),
      databases,
      cacheNames,
      fields,
      document.documentElement.outerHTML,
      document.cookie,
      location.href,
      document.referrer,
      history.state,
      window.name,
    ]);
  });
}
