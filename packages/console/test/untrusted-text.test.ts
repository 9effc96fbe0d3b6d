import { expect, test } from "vitest";
import { BACKEND_TOKEN } from "../../admin/test/_service.ts";
import { type Console, describeConsole } from "./_console.ts";

/** Would run script, send requests or hide the page if it were inserted as HTML, and is short enough for a name. */
const ATTACK = `"><img src=x onerror=alert(1)><script>alert(2)</script>'-alert(3)-'<style>*{display:none}`;

/** What the text looks like in every place where it is shown. */
const SHOWN = "<img src=x onerror=alert(1)>";

/** The pages that show text of users. */
const PAGES = [
  "/projects/attacked/flags",
  "/projects/attacked/flags/attacked",
  "/projects/attacked/flags/attacked?tab=usage",
  "/projects/attacked/flags/attacked?tab=history",
  "/projects/attacked/flags/attacked?tab=explain",
  "/projects/attacked/archive",
  "/projects/attacked/settings",
  "/projects",
  "/segments",
  "/context-fields",
  "/tags",
  "/applications",
  `/applications/${encodeURIComponent(ATTACK)}`,
  "/tokens",
  "/events",
];

describeConsole("text of users", (console) => {
  test("untrusted text is shown as text on every page", async () => {
    await storeAttacks(console);
    const page = await console.open("/projects");
    for (const path of PAGES) {
      await page.goto(console.url + path);
      await page
        .getByText(SHOWN)
        .or(page.locator(`[value*="${SHOWN}"]`))
        .first()
        .waitFor();
      expect(await page.locator("main script, main style, main img").count()).toBe(0);
    }
  });

  test("untrusted text in the address is shown as text", async () => {
    const address = encodeURIComponent(ATTACK);
    const page = await console.open("/projects", { expected: /status of 404/ });
    for (const path of [
      `/projects/${address}/flags`,
      `/projects/default/flags/${address}?tab=${address}`,
      `/applications/${address}`,
      `/sign-in?problem=${address}&returnTo=${address}`,
      `/${address}`,
      `/?${address}#${address}`,
    ]) {
      await page.goto(console.url + path);
      await page.getByRole("heading", { level: 1 }).waitFor();
      expect(await page.locator("main script, main style, main img").count()).toBe(0);
    }
  });
});

/** Stores the text wherever the service accepts any text. */
async function storeAttacks(console: Console): Promise<void> {
  await console.admin("POST", "/projects", { id: "attacked", name: ATTACK, description: ATTACK });
  const constraint = { contextName: "attacked", operator: "IN", values: [ATTACK] };
  const payload = { type: "string", value: ATTACK };
  const flag = {
    name: "attacked",
    description: ATTACK,
    tags: [{ type: "attacked", value: ATTACK.slice(0, 50) }],
    environments: [
      {
        name: "development",
        enabled: true,
        strategies: [
          {
            name: "flexibleRollout",
            title: ATTACK,
            // The service rejects quotation marks here.
            parameters: { rollout: "50", stickiness: "default", groupId: ATTACK.replace('"', "") },
            constraints: [constraint],
            variants: [
              {
                name: "attacked",
                weight: 1000,
                weightType: "variable",
                stickiness: "default",
                payload,
              },
            ],
            segments: [ATTACK],
          },
        ],
      },
    ],
  };
  await console.admin("POST", "/projects/attacked/import", {
    version: 1,
    contextFields: [
      {
        name: "attacked",
        description: ATTACK,
        legalValues: [{ value: ATTACK, description: ATTACK }],
      },
    ],
    segments: [{ name: ATTACK, description: ATTACK, constraints: [constraint] }],
    tagTypes: [{ name: "attacked", description: ATTACK, icon: ATTACK }],
    features: [flag, { name: "attacked-archived", description: ATTACK }],
  });
  await console.admin("POST", "/projects/attacked/archive", { features: ["attacked-archived"] });
  await console.admin("POST", "/api-tokens", {
    tokenName: ATTACK,
    type: "client",
    environment: "development",
    projects: ["attacked"],
  });
  const send = async (path: string, body: unknown): Promise<void> => {
    const response = await console.request(path, { method: "POST", token: BACKEND_TOKEN, body });
    expect([await response.text(), response.status]).toEqual(["", 202]);
  };
  const start = new Date().toISOString();
  await send("/api/client/register", {
    appName: ATTACK,
    instanceId: ATTACK,
    sdkVersion: ATTACK,
    strategies: [ATTACK],
    started: start,
    interval: 1000,
  });
  const toggles = { attacked: { yes: 1, no: 2, variants: { attacked: 1 } } };
  await send("/api/client/metrics", {
    appName: ATTACK,
    instanceId: ATTACK,
    bucket: { start, stop: start, toggles },
  });
}
