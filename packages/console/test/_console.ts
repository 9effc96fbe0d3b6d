import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import type { Browser, BrowserContextOptions, Locator, Page } from "playwright-core";
import { beforeAll, describe, expect, onTestFinished } from "vitest";
import { skipsChromium, startChromium } from "../../../scripts/quickstart/_chromium.ts";
import { sized } from "../../../scripts/test-size.ts";
import type { Storage } from "../../admin/src/storage/storage.ts";
import { ADMIN_TOKEN, type Service, useService } from "../../admin/test/_service.ts";
import { describeAnyStorage, type StorageSource } from "../../admin/test/_storages.ts";
import { watchPage } from "./_page-problems.ts";

export type Size = "desktop" | "phone";

/** The screens for which tests of journeys run: with TEST_SIZE=complete also a phone. */
export const SIZES: readonly Size[] = sized(["desktop"], ["desktop", "phone"]);

const VIEWPORTS: Readonly<Record<Size, NonNullable<BrowserContextOptions["viewport"]>>> = {
  desktop: { width: 1280, height: 900 },
  phone: { width: 390, height: 844 },
};

/** How long a page may take to show something. Generous: a busy machine is no failure. */
const TIMEOUT_MS = 60_000;

export type Role = "viewer" | "editor" | "admin";

interface PageOptions {
  /** @default "desktop" */
  readonly size?: Size;
  /** @default "light" */
  readonly colorScheme?: "light" | "dark";
  /** Messages in the log of the browser that the test provokes. Any other error or warning fails the test. */
  readonly expected?: RegExp;
}

interface OpenOptions extends PageOptions {
  /** @default "admin" */
  readonly role?: Role;
}

/** The console that the build wrote, served by a real service with a database of its own. */
export interface Console extends Service {
  readonly storage: Storage;
  /**
   * Signs in on the sign-in page of a new browser profile, which then shows the page at the path. At the end of
   * the test the profile is closed, and the test fails if the page had a problem: see `watchPage()`.
   */
  open(path: string, options?: OpenOptions): Promise<Page>;
  /** Like `open()`, but without signing in. */
  openSignedOut(path: string, options?: PageOptions): Promise<Page>;
  /** Returns a token for people with the role. */
  tokenOf(role: Role): Promise<string>;
}

/** Runs tests of the console in Chromium. They share a service, so each test uses names of its own. */
export function describeConsole(
  title: string,
  suite: (console: Console, source: StorageSource) => void,
  config: Parameters<typeof useService>[2] = {},
): void {
  describe.skipIf(skipsChromium)(title, () => {
    describeAnyStorage("in Chromium", (source) => {
      beforeAll(requireBuild);
      suite(
        addBrowser(useService(source, { consoleDirectory: CONSOLE_DIRECTORY }, config)),
        source,
      );
    });
  });
}

/** Opens a page of a service in a new browser profile, which is closed at the end of the test. */
export async function openPage(url: string, options: PageOptions = {}): Promise<Page> {
  const { size = "desktop", colorScheme = "light", expected } = options;
  const shared = await shareBrowser();
  const context = await shared.newContext({
    viewport: VIEWPORTS[size],
    isMobile: size === "phone",
    hasTouch: size === "phone",
    colorScheme,
    locale: "en-GB",
    reducedMotion: "reduce",
  });
  context.setDefaultTimeout(TIMEOUT_MS);
  const page = await context.newPage();
  const problems = watchPage(page, expected);
  onTestFinished(async () => {
    await context.close();
    expect(problems).toEqual([]);
  });
  await page.goto(url);
  return page;
}

/** Signs in on the sign-in page with a token. Its form is folded if somebody has a password. */
export async function signIn(page: Page, token: string): Promise<void> {
  const field = page.getByLabel("API token");
  await field.waitFor({ state: "attached" });
  if (!(await field.isVisible())) await page.getByText("Sign in with an API token").click();
  await field.fill(token);
  await field.press("Enter");
  await page.waitForURL(({ pathname }) => pathname !== "/sign-in");
}

/** Clicks a switch, checkbox or radio button. What people click is its label: the control itself is hidden. */
export async function clickControl(control: Locator): Promise<void> {
  await control.locator("xpath=ancestor::label").click();
}

/** Waits for dialogs that React Aria still hides, half a second on a phone, and for all animations that end by themselves. */
const ANIMATIONS_ENDED = `new Promise((resolve) => {
  const check = () => {
    if (document.querySelector('[data-rac][style*="opacity: 0"]') === null) resolve();
    else requestAnimationFrame(check);
  };
  check();
}).then(() => Promise.allSettled(
  document.getAnimations()
    .filter((animation) => animation.effect?.getComputedTiming().endTime !== Infinity)
    .map((animation) => animation.finished),
)).then(() => undefined)`;

/** Fails if axe finds anything on the page, of any impact. */
export async function expectAccessible(page: Page): Promise<void> {
  const session = await page.context().newCDPSession(page);
  // NOTE: unlike a script element, this is possible under the strict Content-Security-Policy.
  const evaluate = async (expression: string): Promise<unknown> => {
    const { result, exceptionDetails } = await session.send("Runtime.evaluate", {
      expression,
      awaitPromise: true,
      returnByValue: true,
    });
    if (exceptionDetails !== undefined) throw new Error(JSON.stringify(exceptionDetails));
    return result.value;
  };
  await evaluate(`${await axeSource}; undefined`);
  // While a dialog fades in, axe neither recognizes it as modal nor sees its final colours.
  await evaluate(ANIMATIONS_ENDED);
  const violations = await evaluate(FIND_VIOLATIONS);
  await session.detach();
  expect(violations).toEqual([]);
}

/** The console that the build wrote. */
export const CONSOLE_DIRECTORY: string = fileURLToPath(
  new URL("../../admin/dist/console", import.meta.url),
);

const axeSource = readFile(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** NOTE: the component library announces pending buttons there, for seconds after a button has disappeared. */
const ANNOUNCEMENTS = "[data-live-announcer]";

const FIND_VIOLATIONS = `axe.run({ exclude: ["${ANNOUNCEMENTS}"] }, { resultTypes: ["violations"] }).then(({ violations }) =>
  violations.flatMap(({ id, help, nodes }) =>
    nodes.map(({ html, failureSummary }) => [id, help, html.slice(0, 300), failureSummary].join("\\n"))))`;

function requireBuild(): void {
  if (existsSync(`${CONSOLE_DIRECTORY}/index.html`)) return;
  throw new Error("The console has not been built: run `npm run build`");
}

/** One browser for all test files of a process. It ends with the process. */
let browser: Promise<Browser> | undefined;

function shareBrowser(): Promise<Browser> {
  browser ??= startChromium();
  return browser;
}

function addBrowser(service: ReturnType<typeof useService>): Console {
  const tokens = new Map<Role, Promise<string>>();
  const tokenOf = (role: Role): Promise<string> => {
    const token = tokens.get(role) ?? createToken(service, role);
    tokens.set(role, token);
    return token;
  };
  // NOTE: not copied, because the properties of the service exist only while tests run.
  return Object.setPrototypeOf(
    {
      tokenOf,
      openSignedOut: (path, options) => openPage(service.url + path, options),
      open: async (path, { role = "admin", ...options } = {}) => {
        const page = await openPage(service.url + path, options);
        await signIn(page, await tokenOf(role));
        return page;
      },
    } satisfies Omit<Console, keyof typeof service>,
    service,
  ) as Console;
}

async function createToken(service: Service, role: Role): Promise<string> {
  if (role === "admin") return ADMIN_TOKEN;
  const created = await service.admin("POST", "/api-tokens", {
    type: role,
    tokenName: `the-${role}-of-the-tests`,
  });
  return (created as { readonly secret: string }).secret;
}
