import { expect, test } from "vitest";
import { describeConsole, expectAccessible } from "./_console.ts";

/** What the browser logs about a part that it cannot load. */
const EXPECTED = /Failed to load resource|OutdatedError/;

describeConsole("parts of the console that are loaded when they are shown", (console) => {
  test("a page that is open during an upgrade asks to be reloaded when its other parts are gone", async () => {
    const page = await console.open("/projects/default/flags", { expected: EXPECTED });
    await page.getByRole("heading", { name: "Flags", level: 1 }).waitFor();
    // The service of the new version no longer has the file.
    await page.route("**/assets/projects-page-*.js", (route) =>
      route.continue({
        url: route.request().url().replace("projects-page", "earlier-projects-page"),
      }),
    );
    await page.getByRole("link", { name: "Projects", exact: true }).click();
    await page
      .getByRole("heading", { name: "A new version of the console is available" })
      .waitFor();
    await expectAccessible(page);
    // What has been loaded still works.
    await page.getByRole("link", { name: "Flags", exact: true }).click();
    await page.getByRole("heading", { name: "Flags", level: 1 }).waitFor();
    await page.getByRole("link", { name: "Projects", exact: true }).click();
    await page.unroute("**/assets/projects-page-*.js");
    await page.getByRole("button", { name: "Reload" }).click();
    await page.getByRole("heading", { name: "Projects", level: 1 }).waitFor();
  });

  test("a page whose code cannot be loaded without a network opens when the network is back", async () => {
    const page = await console.open("/projects/default/flags", {
      expected: /Failed to load resource|UnreachableError/,
    });
    await page.getByRole("heading", { name: "Flags", level: 1 }).waitFor();
    await page.context().setOffline(true);
    await page.getByRole("link", { name: "Segments" }).click();
    await page.getByRole("heading", { name: "The service is currently unavailable" }).waitFor();
    await page.context().setOffline(false);
    await page.getByRole("heading", { name: "Segments", level: 1 }).waitFor();
  });

  test("the sign-in page and the list of flags need no further script", async () => {
    const page = await console.openSignedOut("/projects/default/flags");
    const loaded: string[] = [];
    page.on("request", (request) => {
      if (request.resourceType() === "script") loaded.push(request.url());
    });
    await page.reload();
    await page.getByRole("heading", { name: "Sign in to flags" }).waitFor();
    const first = [...loaded];
    expect(first.length).toBeLessThan(5);
    await page.getByLabel("API token").fill(await console.tokenOf("editor"));
    await page.getByLabel("API token").press("Enter");
    await page.getByRole("heading", { name: "Flags", level: 1 }).waitFor();
    expect(loaded).toEqual(first);
    await page.getByRole("button", { name: /^Find/ }).click();
    await page.getByRole("dialog", { name: "Find anything" }).waitFor();
    expect(loaded.length).toBeGreaterThan(first.length);
  });
});
