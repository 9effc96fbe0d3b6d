import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { skipsChromium, startChromium } from "../../../scripts/quickstart/_chromium.ts";
import { writeConsole } from "./_console.ts";
import { createToken } from "./_flags.ts";
import { ADMIN_TOKEN, type Service, startService } from "./_service.ts";
import { signIn } from "./_sessions.ts";
import { describeAnyStorage } from "./_storages.ts";

describe.skipIf(skipsChromium)("in Chromium", () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await startChromium();
  });
  afterAll(() => browser.close());

  describeAnyStorage("the session of the console", (source) => {
    /** Opens the console in a new browser profile, and signs in from its page. */
    const openSignedIn = async (): Promise<{ service: Service; page: Page }> => {
      const options = { consoleDirectory: writeConsole() };
      const service = await startService(await source.openFresh(), {}, options);
      const context = await browser.newContext();
      onTestFinished(() => context.close());
      const page = await context.newPage();
      await page.goto(service.url);
      const status = await page.evaluate(async (token) => {
        const response = await fetch("/auth/session", {
          method: "POST",
          headers: { "content-type": "application/json" },
          body: JSON.stringify({ token }),
        });
        return response.status;
      }, ADMIN_TOKEN);
      expect(status).toBe(201);
      await service.admin("POST", "/projects/default/features", { name: "flag" });
      return { service, page };
    };

    const isEnabled = async (service: Service): Promise<boolean> => {
      const path = "/projects/default/features/flag/environments/production";
      const { enabled } = (await service.admin("GET", path)) as { enabled: boolean };
      return enabled;
    };

    const turnOn = (page: Page, address: string) =>
      page.evaluate(async (url) => {
        const path = "/api/admin/projects/default/features/flag/environments/production/on";
        const mode = url === "" ? "same-origin" : "no-cors";
        const init: RequestInit = { method: "POST", mode, credentials: "include" };
        return fetch(url + path, init).then(
          ({ status }) => status,
          () => "the response is blocked",
        );
      }, address);

    test("lets its page change flags and follow changes, but not read the cookie", async () => {
      const { service, page } = await openSignedIn();
      expect(await page.evaluate("document.cookie")).toBe("");
      // NOTE: only changes after the stream is open arrive.
      const change = page.evaluate(`new Promise((resolve) => {
        const events = new EventSource("/api/admin/changes");
        events.addEventListener("open", () => document.body.setAttribute("data-open", ""));
        events.addEventListener("change", ({ data }) => resolve(JSON.parse(data)));
      })`);
      await page.waitForSelector("[data-open]", { state: "attached" });
      expect(await turnOn(page, "")).toBe(200);
      expect(await isEnabled(service)).toBe(true);
      expect(await change).toMatchObject({ feature: "flag", environment: "production" });
    });

    test("does not let a page on another port change anything, or frame the console", async () => {
      const { service, page } = await openSignedIn();
      const other = createServer((_request, response) => {
        response.setHeader("content-type", "text/html");
        response.end(`<!doctype html><iframe src="${service.url}/"></iframe>`);
      }).listen(0, "127.0.0.1");
      await once(other, "listening");
      onTestFinished(() => {
        other.closeAllConnections();
        other.close();
      });
      // The browser does send the cookie from there.
      const sent: (string | undefined)[] = [];
      service.app.server.on("request", ({ method, headers }) => {
        if (method === "POST") sent.push(headers.cookie);
      });
      await page.goto(`http://127.0.0.1:${(other.address() as AddressInfo).port}`);
      expect(await turnOn(page, service.url)).toBe("the response is blocked");
      expect(sent).toEqual([expect.stringContaining("flags_session=")]);
      expect(await isEnabled(service)).toBe(false);
      const [, frame] = page.frames();
      expect(frame?.url()).toBe("chrome-error://chromewebdata/");
    });

    test("keeps its user although a page on another port sets cookies with the same name", async () => {
      const { service, page } = await openSignedIn();
      const { secret } = await createToken(service, { tokenName: "attacker", type: "admin" });
      const { cookie } = await signIn(service, secret);
      const other = createServer((_request, response) => {
        response.setHeader("content-type", "text/html");
        response.end("<!doctype html>");
      }).listen(0, "127.0.0.1");
      await once(other, "listening");
      onTestFinished(() => {
        other.closeAllConnections();
        other.close();
      });
      await page.goto(`http://127.0.0.1:${(other.address() as AddressInfo).port}`);
      await page.evaluate(
        ["/api", "/api/admin", "/auth"]
          .map((path) => `document.cookie = "${cookie.cookie}; path=${path}";`)
          .join(""),
      );
      const sent: (string | undefined)[] = [];
      service.app.server.on("request", ({ url, headers }) => {
        if (url === "/api/admin/user") sent.push(headers.cookie);
      });
      await page.goto(service.url);
      const names = await page.evaluate(async () => {
        const read = async (path: string) => {
          const body = (await (await fetch(path)).json()) as { user: { name: string } };
          return body.user.name;
        };
        return [await read("/api/admin/user"), await read("/auth/session")];
      });
      expect(names).toEqual(["init-admin", "init-admin"]);
      // The browser has sent all of them.
      expect(sent[0]?.split("; ")).toHaveLength(3);
    });

    test("its page does not run injected scripts", async () => {
      const { page } = await openSignedIn();
      const ran = await page.evaluate(`
        const script = document.createElement("script");
        script.textContent = "document.title = 'ran'";
        document.body.append(script);
        document.body.insertAdjacentHTML("beforeend", "<img src=x onerror=\\"document.title='ran'\\">");
        document.title;`);
      await page.waitForFunction("document.images[0]?.complete");
      expect(ran).toBe("");
      expect(await page.title()).toBe("");
    });
  });
});
