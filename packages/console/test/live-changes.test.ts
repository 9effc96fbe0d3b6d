import type { AddressInfo } from "node:net";
import type { FastifyInstance } from "fastify";
import type { Page } from "playwright-core";
import { expect, onTestFinished, test } from "vitest";
import { buildApp } from "../../admin/src/app.ts";
import { createFlag, switchFlag } from "../../admin/test/_flags.ts";
import { ADMIN_TOKEN, collectErrors, endApp, seed } from "../../admin/test/_service.ts";
import {
  clickControl,
  CONSOLE_DIRECTORY,
  describeConsole,
  expectAccessible,
  openPage,
  signIn,
} from "./_console.ts";
import { shownFlags, switchOf, waitForMessage } from "./_flags.ts";

const FLAGS = "/projects/default/flags";

describeConsole("changes by others", (console, source) => {
  test("changes by others appear in an open page", async () => {
    await createFlag(console, "shared", { enabled: false });
    const [mine, theirs] = await Promise.all([
      console.open(FLAGS),
      console.open(FLAGS, { role: "editor", size: "phone" }),
    ]);
    await switchOf(mine, "shared").waitFor();
    await clickControl(switchOf(theirs, "shared"));
    await expect.poll(() => switchOf(mine, "shared").isChecked()).toBe(true);

    await createFlag(console, "another");
    await expect.poll(() => shownFlags(mine)).toEqual(["another", "shared"]);
    await expect.poll(() => shownFlags(theirs)).toEqual(["another", "shared"]);
  });

  test("changes by others update how many flags use a segment, a context field and an environment", async () => {
    const features = "/projects/default/features";
    await createFlag(console, "counted", { enabled: false });
    const segment = await console.admin("POST", "/segments", { name: "counted", constraints: [] });
    await console.admin("POST", "/context", { name: "counted" });
    const [segments, fields, environments] = await Promise.all(
      ["/segments", "/context-fields", "/environments"].map((path) => console.open(path)),
    );
    const row = (page: Page | undefined, name: string) => page?.getByRole("row", { name });
    await row(segments, "counted")?.getByText("no flag").waitFor();
    await row(fields, "counted")?.getByText("nothing").waitFor();
    await row(environments, "production")?.getByText("0 flags on").waitFor();
    const inProduction = `${features}/counted/environments/production`;
    await console.admin("POST", `${inProduction}/strategies`, {
      name: "default",
      segments: [(segment as { readonly id: number }).id],
      constraints: [{ contextName: "counted", operator: "IN", values: ["1"] }],
    });
    await row(segments, "counted")?.getByText("1 flag").waitFor();
    await row(fields, "counted")?.getByText("1 flag").waitFor();
    await console.admin("POST", `${inProduction}/on`);
    await row(environments, "production")?.getByText("1 flag on").waitFor();
  });

  test("changes by others appear when a hidden page is shown again", async () => {
    await createFlag(console, "hidden");
    const page = await console.open(FLAGS);
    await switchOf(page, "hidden").waitFor();
    await setVisibility(page, "hidden");
    await expect.poll(() => openStreams()).toBe(0);

    await switchFlag(console, "hidden", { on: false });
    const reading = page.waitForResponse("**/api/admin/projects/default/features");
    await setVisibility(page, "visible");
    await reading;
    await expect.poll(() => switchOf(page, "hidden").isChecked()).toBe(false);
    await expect.poll(() => openStreams()).toBe(1);
  });

  test("a page explains that the service is down, and recovers when it is back", async () => {
    const storage = await source.openFresh();
    await seed(storage);
    const start = async (port: number): Promise<FastifyInstance> => {
      const logger = collectErrors([]);
      const options = { consoleDirectory: CONSOLE_DIRECTORY };
      const app = await buildApp({ logger, maxConnections: 100 }, storage, options);
      onTestFinished(() => endApp(app));
      await app.listen({ host: "127.0.0.1", port });
      return app;
    };
    const app = await start(0);
    const { port } = app.server.address() as AddressInfo;
    const url = `http://127.0.0.1:${port}`;
    const create = async (name: string): Promise<void> => {
      const response = await fetch(`${url}/api/admin/projects/default/features`, {
        method: "POST",
        headers: { authorization: ADMIN_TOKEN, "content-type": "application/json" },
        body: JSON.stringify({ name }),
      });
      expect(response.status).toBe(201);
    };
    await create("before");
    const page = await openPage(url + FLAGS, { expected: /ERR_CONNECTION_|ERR_INCOMPLETE/ });
    await signIn(page, ADMIN_TOKEN);
    await switchOf(page, "before").waitFor();

    const attempts: number[] = [];
    page.on("request", (request) => {
      if (request.url().endsWith("/api/admin/changes")) attempts.push(performance.now());
    });
    await endApp(app);
    const unreachable = page
      .getByRole("status")
      .getByText("The service cannot be reached. This page shows what it last received.");
    await unreachable.waitFor();
    await expectAccessible(page);
    await clickControl(switchOf(page, "before"));
    await waitForMessage(page, "The service cannot be reached");
    // The page shows what is stored, not what was tried.
    await expect.poll(() => switchOf(page, "before").isChecked()).toBe(false);
    // The message above the page says it once.
    expect(await page.getByText("This may be outdated").count()).toBe(0);

    // The page waits longer and longer between its attempts to open the stream.
    await expect.poll(() => attempts.length).toBeGreaterThanOrEqual(4);
    const [first = 0, second = 0, third = 0, fourth = 0] = attempts;
    expect((fourth - third) / (second - first)).toBeGreaterThan(1.5);

    await start(port);
    await create("after");
    await expect.poll(() => shownFlags(page)).toEqual(["after", "before"]);
    await expect.poll(() => unreachable.count()).toBe(0);
    await clickControl(switchOf(page, "before"));
    await waitForMessage(page, "before is now on in development");
  });

  /** Does what the browser does when somebody opens another tab. */
  async function setVisibility(page: Page, state: "hidden" | "visible"): Promise<void> {
    await page.evaluate((value) => {
      Object.defineProperty(document, "visibilityState", { value, configurable: true });
      document.dispatchEvent(new Event("visibilitychange"));
    }, state);
  }

  /** Returns how many streams of changes the service has. */
  async function openStreams(): Promise<number> {
    const response = await console.request("/internal-backstage/prometheus");
    const [, value] =
      /^flags_admin_change_streams(?:\{[^}]*\})? (\d+)$/m.exec(await response.text()) ?? [];
    return Number(value);
  }
});
