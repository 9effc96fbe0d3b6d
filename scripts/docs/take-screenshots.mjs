// `npm run docs:screenshots`: takes the screenshots of the documents from the running programs, with Chromium. Run it after a change
// of the pages, look at the pictures in docs/images, and commit them. Requires a build. Arguments are names of pictures,
// for example `npm run docs:screenshots -- console-events`.

import { mkdtemp, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chromium } from "playwright-core";
import { createAdminClient } from "../admin-client.mjs";
import { loadKeys } from "../quickstart/keys.mjs";
import { findProgram } from "../system-programs.mjs";
import { rootDirectory } from "../workspace.mjs";
import { createAccounts, createConsoleData, UNLEASH_EXPORT } from "./console-data.mjs";
import { createGuideData } from "./guide-data.mjs";
import { choosePorts, startServer } from "./server.mjs";

const LARGEST_BYTES = 200_000;
const DAY_MS = 86_400_000;
const FIRST_FLAG = "new-header";

const DESKTOP = { viewport: { width: 1280, height: 800 } };
const PHONE = { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true };

const CONTEXT = encodeURIComponent(JSON.stringify({ userId: "7", plan: "pro", country: "NO" }));
/** Stands for the link of an invited user, which works once. */
const INVITATION = "(invitation)";
const FLAG = "/projects/default/flags/dark-mode";
/** Stand for the requests of `createGuideData()`. */
const LAUNCH = "(launch)";
const REVIEW = "(review)";

/** The demo page on a desktop and on a phone. */
const QUICKSTART_SHOTS = [
  { name: "quickstart-light", ...DESKTOP },
  { name: "quickstart-dark", ...DESKTOP, colorScheme: "dark" },
  { name: "quickstart-phone", ...PHONE, isMobile: false, hasTouch: false },
];

/** Every page of the console, and what some of them show after an action. Those that the documents show in both themes are named `-light` and `-dark`. */
const CONSOLE_SHOTS = [
  { name: "console-sign-in", path: "/sign-in", isSignedIn: false },
  { name: "console-new-user", path: INVITATION, isSignedIn: false, act: typePassword },
  ...inBothColours({ name: "console-users", path: "/users" }),
  { name: "console-users-phone", path: "/users", ...PHONE },
  ...inBothColours({ name: "console-profile", path: "/profile" }),
  { name: "console-sessions", path: "/sessions" },
  ...inBothColours({ name: "console-flags", path: "/projects/default/flags" }),
  { name: "console-flags-phone", path: "/projects/default/flags", ...PHONE },
  ...inBothColours({ name: "console-flag", path: FLAG, act: waitForSegments }),
  { name: "console-flag-phone", path: FLAG, act: waitForSegments, ...PHONE },
  { name: "console-usage", path: `${FLAG}?tab=usage` },
  { name: "console-history", path: `${FLAG}?tab=history` },
  ...inBothColours({ name: "console-explain", path: `${FLAG}?tab=explain&context=${CONTEXT}` }),
  { name: "console-archive", path: "/projects/default/archive" },
  { name: "console-transfer", path: "/projects/default/transfer" },
  { name: "console-import", path: "/projects/default/transfer", act: previewImport },
  { name: "console-access", path: "/projects/mobile/settings", act: scrollToAccess },
  { name: "console-project-settings", path: "/projects/default/settings" },
  { name: "console-playground", path: `/playground?context=${CONTEXT}` },
  { name: "console-segments", path: "/segments" },
  { name: "console-context-fields", path: "/context-fields" },
  { name: "console-tags", path: "/tags" },
  { name: "console-environments", path: "/environments" },
  { name: "console-projects", path: "/projects" },
  { name: "console-applications", path: "/applications" },
  { name: "console-application", path: "/applications/web-shop" },
  { name: "console-tokens", path: "/tokens" },
  { name: "console-events", path: "/events" },
];

const SMALL = { viewport: { width: 1100, height: 720 } };

/** What the guides for product people show. */
const GUIDE_SHOTS = [
  {
    name: "guide-plan-steps",
    path: "/projects/shop/flags/one-page-checkout",
    act: (page) => page.getByRole("button", { name: "Roll out in steps" }).click(),
  },
  {
    name: "guide-plan",
    path: "/projects/shop/flags/saved-carts",
    act: (page) =>
      page.getByRole("region", { name: "Rollout plan" }).evaluate((plan) => {
        plan.scrollIntoView({ block: "center" });
      }),
  },
  {
    name: "guide-schedule-instead",
    path: "/projects/campaigns/flags/gift-wrapping",
    act: (page) => switchInProduction(page, "Off"),
  },
  {
    name: "guide-schedule",
    path: LAUNCH,
    act: (page) => page.getByRole("button", { name: "Schedule" }).click(),
  },
  {
    name: "guide-protection",
    path: "/projects/payments/settings",
    act: (page) => page.getByRole("button", { name: "Required approvals in production" }).click(),
  },
  { name: "guide-review", path: REVIEW },
  {
    name: "guide-turn-off",
    path: "/projects/payments/flags/pay-by-invoice",
    act: (page) => switchInProduction(page, "On"),
  },
  {
    name: "guide-history",
    path: "/projects/shop/flags/search-suggestions?tab=history",
    act: openRestoreMenu,
  },
  {
    name: "guide-restore",
    path: "/projects/shop/flags/search-suggestions?tab=history",
    act: previewRestore,
  },
].map((shot) => ({ ...SMALL, ...shot }));

const wanted = process.argv.slice(2);
const isWanted = ({ name }) => wanted.length === 0 || wanted.includes(name);

const directory = await mkdtemp(join(tmpdir(), "flags-screenshots-"));
const ports = await choosePorts();
const quickstart = await startServer({
  place: "the quickstart",
  text: "npm start\n",
  ports,
  folder: rootDirectory,
  environment: { DATA_DIR: directory },
});
const browser = await chromium.launch({
  executablePath: findProgram("chromium"),
  args: ["--no-sandbox"],
});
try {
  for (const shot of QUICKSTART_SHOTS.filter(isWanted)) await takeDemoPage(shot);
  const origin = `http://127.0.0.1:${ports.admin}`;
  const { adminToken, proxyToken } = await loadKeys({ directory });
  const admin = createAdminClient(origin, adminToken);
  await createConsoleData(admin, { origin, backendToken: proxyToken });
  const { login, inviteLink } = await createAccounts(admin);
  const storageState = await signIn(origin, login);
  await createPersonalTokens(storageState, origin);
  await signInElsewhere(origin, login);
  const { pathname, search } = new URL(inviteLink);
  const { launch, review } = await createGuideData(origin);
  const paths = { [INVITATION]: pathname + search, [LAUNCH]: launch, [REVIEW]: review };
  for (const shot of [...CONSOLE_SHOTS, ...GUIDE_SHOTS].filter(isWanted)) {
    const { isSignedIn = true, path, ...options } = shot;
    await takeConsole(origin, {
      ...options,
      path: paths[path] ?? path,
      ...(isSignedIn && { storageState }),
    });
  }
} finally {
  await browser.close();
  await quickstart.stop();
  await rm(directory, { recursive: true, force: true });
}

function inBothColours(shot) {
  return ["light", "dark"].map((colorScheme) => ({
    ...shot,
    name: `${shot.name}-${colorScheme}`,
    colorScheme,
  }));
}

async function takeDemoPage({ name, ...options }) {
  const page = await browser.newPage(options);
  await page.goto(`http://127.0.0.1:${ports.proxy}/`);
  await page.getByText(FIRST_FLAG).first().waitFor();
  await page.waitForLoadState("networkidle", { timeout: 3000 }).catch(() => {});
  await save(page, name);
}

/** NOTE: the header covers what is at the top. */
async function scrollToAccess(page) {
  await page.getByRole("list", { name: "Members" }).evaluate((list) => {
    list.scrollIntoView({ block: "center" });
  });
}

/** Returns the cookie of a session. */
async function signIn(origin, { username, password }) {
  const page = await browser.newPage();
  await page.goto(origin);
  await page.getByLabel("User name or email address").fill(username);
  await page.getByLabel("Password", { exact: true }).fill(password);
  await page.keyboard.press("Enter");
  await page.getByRole("navigation", { name: "Pages" }).waitFor();
  const storageState = await page.context().storageState();
  await page.context().close();
  return storageState;
}

/** Only people who are signed in create personal tokens. */
async function createPersonalTokens({ cookies }, origin) {
  for (const [description, days] of [
    ["Nightly report", 90],
    ["Move of the flags of the app", 5],
  ]) {
    const response = await fetch(`${origin}/api/admin/user/tokens`, {
      method: "POST",
      headers: {
        cookie: cookies.map(({ name, value }) => `${name}=${value}`).join("; "),
        "content-type": "application/json",
        origin,
      },
      body: JSON.stringify({
        description,
        expiresAt: new Date(Date.now() + days * DAY_MS).toISOString(),
      }),
    });
    if (!response.ok) throw new Error(`${response.status} ${await response.text()}`);
  }
}

/** Starts sessions of other browsers. */
async function signInElsewhere(origin, { username, password }) {
  for (const [name, agent] of [
    [username, "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"],
    ["carla", "Mozilla/5.0 (Windows NT 10.0; Win64; x64) Chrome/140.0.0.0 Safari/537.36"],
  ]) {
    const response = await fetch(`${origin}/auth/simple/login`, {
      method: "POST",
      headers: { "content-type": "application/json", "user-agent": agent },
      body: JSON.stringify({ username: name, password }),
    });
    if (!response.ok) throw new Error(`${response.status} ${await response.text()}`);
  }
}

/** Shows what the page says while a password is typed. */
async function typePassword(page) {
  await page.getByLabel("Password", { exact: true }).fill("seven blue snails");
  await page.getByText("This password can be used.").waitFor();
}

async function takeConsole(origin, { name, path, act, ...options }) {
  const page = await browser.newPage({ ...DESKTOP, reducedMotion: "reduce", ...options });
  await page.goto(origin + path);
  await page.getByRole("main").getByRole("heading", { level: 1 }).waitFor();
  await page.getByText("Loading…").first().waitFor({ state: "detached" });
  await act?.(page);
  await page.evaluate("Promise.all([...document.images].map((image) => image.decode()))");
  await save(page, name);
}

/** The page shows the ids of segments until it has loaded their names. */
async function waitForSegments(page) {
  await page.getByText("segment nordic-customers").first().waitFor();
}

/** Turns a flag on or off in production, up to the question that the console asks before. */
async function switchInProduction(page, state) {
  const control = page
    .getByRole("region", { name: "production", exact: true })
    .getByRole("switch", { name: state });
  await control.locator("xpath=ancestor::label").click();
  await page.getByRole("dialog").waitFor();
}

/** Shows what can be restored from the change to everyone. */
async function openRestoreMenu(page) {
  const entry = page.locator(".event", { hasText: "for everyone" });
  await entry.getByRole("button", { name: "Restore" }).click();
  await page.getByRole("menu").waitFor();
}

async function previewRestore(page) {
  await openRestoreMenu(page);
  await page.getByRole("menuitem", { name: "Go back to before this change…" }).click();
  await page.getByRole("dialog").getByRole("table").first().waitFor();
}

/** Chooses a file of Unleash, and scrolls to what an import would change. */
async function previewImport(page) {
  const choosing = page.waitForEvent("filechooser");
  await page.getByRole("button", { name: "Choose a file" }).click();
  const buffer = Buffer.from(JSON.stringify(UNLEASH_EXPORT));
  await (
    await choosing
  ).setFiles({ name: "unleash-export.json", mimeType: "application/json", buffer });
  await page.getByRole("table", { name: "Contents of the file" }).scrollIntoViewIfNeeded();
}

async function save(page, name) {
  const path = join(rootDirectory, "docs", "images", `${name}.png`);
  await writeFile(path, await page.screenshot({ animations: "disabled" }));
  await page.context().close();
  const { size } = await stat(path);
  if (size > LARGEST_BYTES)
    throw new Error(`${path} has ${size} bytes: at most ${LARGEST_BYTES} are allowed`);
  console.log(`docs/images/${name}.png: ${Math.round(size / 1000)} kB`);
}
