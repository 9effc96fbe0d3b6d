import { mkdtemp, readFile, rm } from "node:fs/promises";
import { request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { skipsChromium, startChromium } from "./_chromium.ts";
import {
  choosePorts,
  paste,
  type Ports,
  type Quickstart,
  startQuickstart,
  START_TIMEOUT_MS,
} from "./_quickstart.ts";

let directory: string;
let ports: Ports;
let start: Quickstart;
let origin: string;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "flags-quickstart-page-"));
  ports = await choosePorts();
  origin = `http://127.0.0.1:${ports.PORT}`;
  start = startQuickstart({ ...ports, DATA_DIR: directory });
  await start.ready();
}, 2 * START_TIMEOUT_MS);

afterAll(async () => {
  await start.stop("SIGTERM");
  await rm(directory, { recursive: true, force: true });
}, START_TIMEOUT_MS);

describe.skipIf(skipsChromium)("the page in Chromium", () => {
  let browser: Browser;

  beforeAll(async () => {
    browser = await startChromium();
  }, START_TIMEOUT_MS);

  afterAll(() => browser.close());

  it("shows the flags for the context", async () => {
    const { page, problems } = await openPage();
    await expect.poll(() => outcomeOf(page, "export-to-pdf")).toBe("on");
    expect(await outcomeOf(page, "old-checkout")).toBe("off");
    expect(await outcomeOf(page, "button-colour")).toMatch(/^on, (blue|green)$/);

    await page.getByLabel("Plan").selectOption("free");
    await expect.poll(() => outcomeOf(page, "export-to-pdf")).toBe("off");
    await page.getByLabel("Country").fill("");
    await expect.poll(() => outcomeOf(page, "local-payments")).toBe("off");
    expect(await page.locator("#announcements").textContent()).toBe("local-payments: off");
    await page.getByLabel("Country").fill("SE");
    await expect.poll(() => outcomeOf(page, "local-payments")).toBe("on");
    await page.getByRole("button", { name: "Next user" }).click();
    expect(await page.getByLabel("User id").inputValue()).toBe("2");

    // A reload keeps the context, and so does another browser with the link.
    await expect.poll(() => page.url()).toContain("userId=2");
    await page.reload();
    await expect.poll(() => outcomeOf(page, "local-payments")).toBe("on");
    expect(await outcomeOf(page, "export-to-pdf")).toBe("off");
    const { page: shared } = await openPage({}, page.url());
    expect(await shared.getByLabel("User id").inputValue()).toBe("2");
    expect(await shared.getByLabel("Country").inputValue()).toBe("SE");
    await expect.poll(() => outcomeOf(shared, "export-to-pdf")).toBe("off");
    await shared.close();
    expect(problems).toEqual([]);
    await page.close();
  });

  it("switches a flag with the keyboard, and another page shows the change", async () => {
    const [{ page, problems }, { page: other }] = [await openPage(), await openPage()];
    await expect.poll(() => outcomeOf(page, "old-checkout")).toBe("off");

    for (let count = 0; count < 60; count += 1) {
      await page.keyboard.press("Tab");
      if (await isFocused(page, "old-checkout")) break;
    }
    expect(await isFocused(page, "old-checkout")).toBe(true);
    await page.keyboard.press("Space");
    await expect.poll(() => outcomeOf(page, "old-checkout")).toBe("on");
    await expect.poll(() => outcomeOf(other, "old-checkout")).toBe("on");
    expect(await switchOf(other, "old-checkout").isChecked()).toBe(true);
    expect(await page.locator("#announcements").textContent()).toContain("old-checkout: on");

    // The printed command turns it off again.
    paste(start.commands().turnOff);
    await expect.poll(() => outcomeOf(page, "old-checkout")).toBe("off");
    expect(await switchOf(page, "old-checkout").isChecked()).toBe(false);
    expect(problems).toEqual([]);
    await Promise.all([page.close(), other.close()]);
  });

  it("names every control, fits narrow screens and is readable in light and dark", async () => {
    const source = await readFile(new URL("_page-checks.js", import.meta.url), "utf8");
    const checks = `import("data:text/javascript,${encodeURIComponent(source)}").then((checks) => checks.findAccessibilityProblems())`;
    for (const colorScheme of ["light", "dark"] as const) {
      const { page } = await openPage({
        colorScheme,
        viewport: { width: 360, height: 740 },
        bypassCSP: true,
      });
      await expect.poll(() => outcomeOf(page, "button-colour")).toContain("on");

      expect(await page.evaluate(checks)).toEqual([]);
      await page.close();
    }
  });

  it("shows a change that is made in the console, which explains each result", async () => {
    const { page, problems } = await openPage();
    await expect.poll(() => outcomeOf(page, "faster-search")).not.toBeNull();
    const console = await browser.newPage();
    const consoleProblems = problemsOf(console);
    await console.goto(start.link());
    await console.getByRole("switch").first().waitFor();
    expect(new URL(console.url())).toMatchObject({ port: ports.ADMIN_PORT, search: "" });
    // Opened again where it has signed somebody in, it leads to the console too.
    await console.goto(start.link());
    const flag = console.getByRole("switch", { name: "new-header in development" });
    for (const [isOn, outcome] of [
      [false, "off"],
      [true, "on"],
    ] as const) {
      await flag.and(console.locator(isOn ? ":not(:checked)" : ":checked")).waitFor();
      // The control itself is hidden: people click its label.
      await flag.locator("xpath=ancestor::label").click();
      await expect.poll(() => outcomeOf(page, "new-header")).toBe(outcome);
    }
    await page.getByLabel("Plan").selectOption("free");
    await expect.poll(() => outcomeOf(page, "export-to-pdf")).toBe("off");
    const why = page.getByLabel("Why export-to-pdf is on or off");
    await console.goto((await why.getAttribute("href")) ?? "");
    await console
      .getByText(/plan is .free/)
      .first()
      .waitFor();
    expect(await console.getByLabel("userId").first().inputValue()).toBe("1");
    expect([...problems, ...consoleProblems]).toEqual([]);
    await Promise.all([page.close(), console.close()]);
  });

  it("reports usage, so the console says when a flag was used", async () => {
    const { page, problems } = await openPage();
    const url = `http://127.0.0.1:${ports.ADMIN_PORT}/api/admin/projects/default/features/team-dashboard`;
    const readLastUse = async () => {
      const response = await fetch(url, { headers: { authorization: start.tokens().admin } });
      const { environments } = (await response.json()) as {
        readonly environments: readonly {
          readonly name: string;
          readonly lastSeenAt: string | null;
        }[];
      };
      return environments.find(({ name }) => name === "development")?.lastSeenAt;
    };
    await expect.poll(readLastUse, { timeout: 30_000, interval: 500 }).toEqual(expect.any(String));
    expect(problems).toEqual([]);
    await page.close();
  });

  it("opens the documentation of the admin API without errors", async () => {
    const page = await browser.newPage();
    const problems = problemsOf(page);
    await page.goto(`http://127.0.0.1:${ports.ADMIN_PORT}/docs/openapi`);
    await page.locator(".opblock").first().click();
    await page.locator(".opblock-body").first().waitFor();
    expect(problems).toEqual([]);
    await page.close();
  });

  async function openPage(options: BrowserContextOptions = {}, url = origin) {
    const page = await browser.newPage(options);
    const problems = problemsOf(page);
    await page.goto(url);
    await page.getByText("Live", { exact: true }).waitFor();
    return { page, problems };
  }
});

/** The errors and warnings that a page logs, now and later. */
function problemsOf(page: Page): readonly string[] {
  const problems: string[] = [];
  page.on("console", (message) => {
    if (["error", "warning"].includes(message.type())) problems.push(message.text());
  });
  page.on("pageerror", (error) => problems.push(error.message));
  return problems;
}

describe("the requests of the page", () => {
  const json = { "content-type": "application/json" };
  const body = JSON.stringify({ name: "new-header", enabled: false });

  it.each([
    ["another host", "GET", { host: "evil.test" }, 421],
    ["a switch of another site", "POST", { ...json, origin: "https://evil.test" }, 403],
    ["a switch without an origin", "POST", json, 403],
    ["a switch of a sandboxed page", "POST", { ...json, origin: "null" }, 403],
    ["a form", "POST", { "content-type": "text/plain", origin: "same" }, 415],
    ["a preflight", "OPTIONS", { origin: "https://evil.test" }, 403],
  ])("rejects %s", async (_title, method, headers, status) => {
    const sameOrigin = "origin" in headers && headers.origin === "same";
    const response = await send({
      method,
      headers: { ...headers, ...(sameOrigin && { origin }) },
      body: method === "POST" ? body : "",
    });
    expect(response.status).toBe(status);
    expect(response.headers["access-control-allow-origin"]).toBeUndefined();
  });

  it.each([
    ["{", 400],
    ["null", 400],
    ['{"name":"new-header","enabled":"yes"}', 400],
    [JSON.stringify({ name: "x".repeat(2000), enabled: true }), 413],
    ['{"name":"../../segments","enabled":true}', 404],
  ])("rejects the switch %s with %i", async (text, status) => {
    const response = await send({ method: "POST", headers: { ...json, origin }, body: text });
    expect(response.status).toBe(status);
    expect(JSON.parse(response.text)).toHaveProperty("error");
  });

  it("never sends the tokens to the browser", async () => {
    const { admin, backend } = start.tokens();
    expect([admin, backend]).toEqual([
      expect.stringMatching(/^\*:\*\.[\da-f]{32}$/),
      expect.stringMatching(/^\*:development\.[\da-f]{32}$/),
    ]);
    for (const path of ["/", "/quickstart/page.js", "/quickstart/flags"]) {
      const text = await (await fetch(`${origin}${path}`)).text();
      expect(text).not.toContain(admin);
      expect(text).not.toContain(backend);
    }
  });

  it("passes every other path to the proxy", async () => {
    expect((await fetch(`${origin}/proxy/health`)).status).toBe(200);
    const unknown = await fetch(`${origin}/page`);
    expect(unknown.status).toBe(404);
    expect(unknown.headers.get("content-security-policy")).toBeNull();
    const unauthorized = await fetch(`${origin}/proxy`);
    expect(unauthorized.status).toBe(401);
    expect(unauthorized.headers.get("access-control-allow-origin")).toBe("*");
  });

  /** `fetch` would not send a Host of our own. */
  function send(given: {
    readonly method: string;
    readonly headers: Readonly<Record<string, string>>;
    readonly body: string;
  }) {
    const { method, headers, body } = given;
    const path = `/quickstart/${method === "GET" ? "flags" : "switch"}`;
    return new Promise<{
      readonly status: number | undefined;
      readonly headers: Readonly<Record<string, unknown>>;
      readonly text: string;
    }>((resolve, reject) => {
      const outgoing = request(`${origin}${path}`, { method, headers }, (response) => {
        let text = "";
        response.on("data", (chunk: Buffer) => {
          text += chunk.toString();
        });
        response.on("end", () =>
          resolve({ status: response.statusCode, headers: response.headers, text }),
        );
      });
      outgoing.on("error", reject);
      outgoing.end(body);
    });
  }
});

async function outcomeOf(page: Page, flag: string): Promise<string | null> {
  return page.locator(`[data-flag="${flag}"] .badge`).textContent();
}

function switchOf(page: Page, flag: string) {
  return page.getByRole("switch", { name: flag });
}

async function isFocused(page: Page, flag: string): Promise<boolean> {
  return (await switchOf(page, flag).and(page.locator(":focus")).count()) === 1;
}
