import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { BACKEND_TOKEN } from "../../admin/test/_service.ts";
import { choose, rowNames } from "./_actions.ts";
import { describeConsole, expectAccessible } from "./_console.ts";
import { createProject, shownFlags } from "./_flags.ts";

/** Returns the parameters of the address of a page. */
function parametersOf(page: Page): Readonly<Record<string, string>> {
  return Object.fromEntries(new URL(page.url()).searchParams);
}

describeConsole("the address of a list", (console) => {
  test("keeps the search, filters and order of flags for back, reload and other people", async () => {
    await createProject(console, "shared", [
      { name: "shared-a", type: "release", stale: true },
      { name: "shared-b", type: "release", stale: true },
      { name: "shared-c", type: "experiment", stale: true },
      { name: "shared-d", type: "release" },
    ]);
    const page = await console.open("/projects/shared/flags");
    const path = new URL(page.url()).pathname;
    await page.getByText("4 flags", { exact: true }).waitFor();
    expect(parametersOf(page)).toEqual({});

    await page.getByRole("searchbox").pressSequentially("shared");
    await choose(page, "Type", "Release");
    await choose(page, "State", "Stale");
    await page.getByRole("button", { name: "Name", exact: true }).click();
    const shown = ["shared-b", "shared-a"];
    await expect.poll(() => shownFlags(page)).toEqual(shown);
    const parameters = { query: "shared", type: "release", state: "stale", sort: "-name" };
    await expect.poll(() => parametersOf(page)).toEqual(parameters);

    await page.getByRole("link", { name: "shared-a", exact: true }).click();
    await page.getByRole("heading", { name: "shared-a" }).waitFor();
    await page.goBack();
    await expect.poll(() => shownFlags(page)).toEqual(shown);
    expect(await page.getByRole("searchbox").inputValue()).toBe("shared");

    await page.getByRole("link", { name: "shared-b", exact: true }).click();
    await page.getByRole("link", { name: "All flags" }).click();
    await expect.poll(() => shownFlags(page)).toEqual(shown);

    await page.reload();
    await expect.poll(() => shownFlags(page)).toEqual(shown);
    await expectAccessible(page);

    const other = await console.open(path + new URL(page.url()).search, { role: "viewer" });
    await expect.poll(() => shownFlags(other)).toEqual(shown);

    // The link in the navigation shows all of them.
    await page.getByRole("link", { name: "Flags", exact: true }).click();
    await expect.poll(() => shownFlags(page)).toHaveLength(4);
    expect(await page.getByRole("searchbox").inputValue()).toBe("");
    expect(parametersOf(page)).toEqual({});
    await page.goBack();
    await expect.poll(() => shownFlags(page)).toEqual(shown);
  });

  test("ignores what is not valid", async () => {
    await createProject(console, "invalid", [{ name: "invalid-a" }]);
    const page = await console.open("/projects/invalid/flags?state=gone&sort=size&query=[1]&x=1");
    await page.getByText("1 flag", { exact: true }).waitFor();
    expect(await shownFlags(page)).toEqual(["invalid-a"]);
  });

  test("keeps the search for digits", async () => {
    await createProject(console, "digits", [{ name: "digits-2026" }, { name: "digits-2027" }]);
    const page = await console.open("/projects/digits/flags?query=2026");
    await expect.poll(() => shownFlags(page)).toEqual(["digits-2026"]);
    await page.getByRole("searchbox").fill("2027");
    await expect.poll(() => shownFlags(page)).toEqual(["digits-2027"]);
    await page.reload();
    await expect.poll(() => shownFlags(page)).toEqual(["digits-2027"]);
  });

  test("keeps the order of tables", async () => {
    for (const name of ["order-b", "order-a", "order-c"]) {
      await console.admin("POST", "/segments", { name, constraints: [] });
    }
    const page = await console.open("/segments?query=order");
    await expect.poll(() => rowNames(page, "Segments")).toHaveLength(3);
    const heading = page.getByRole("columnheader", { name: "Name" });
    await heading.getByRole("button").click();
    await heading.getByRole("button").click();
    const descending = ["order-c", "order-b", "order-a"];
    await expect.poll(() => rowNames(page, "Segments")).toEqual(descending);
    expect(await heading.getAttribute("aria-sort")).toBe("descending");
    expect(parametersOf(page)).toEqual({ query: "order", sort: "-name" });
    await page.reload();
    await expect.poll(() => rowNames(page, "Segments")).toEqual(descending);
    await expectAccessible(page);
  });

  test("keeps the pages of events that have been loaded", async () => {
    const flags = Array.from({ length: 60 }, (_, index) => ({ name: `paged-${index}` }));
    await createProject(console, "paged", flags);
    const page = await console.open("/events?project=paged");
    const events = page.locator(".event");
    await expect.poll(() => events.count()).toBe(50);
    await page.getByRole("button", { name: "Load more" }).click();
    await expect.poll(() => events.count()).toBeGreaterThan(60);
    const total = await events.count();
    await page.reload();
    await expect.poll(() => events.count()).toBe(total);
  });

  test.each([
    ["/archive", "Search by name or description"],
    ["/segments", "Search by name or description"],
    ["/context-fields", "Search by name or description"],
    ["/tokens", "Search by name or project"],
    ["/tags", "Search the tags"],
    ["/applications", "Search by name"],
    ["/playground", "Search by name"],
  ])("keeps the search of %s", async (path, label) => {
    const project = `of${path.slice(1)}`;
    await createProject(console, project, [
      { name: `${project}-flag`, tags: [{ type: "simple", value: `${project}-tag` }] },
    ]);
    if (path === "/archive") {
      await console.admin("DELETE", `/projects/${project}/features/${project}-flag`);
    }
    if (path === "/segments") {
      await console.admin("POST", "/segments", { name: `${project}-segment`, constraints: [] });
    }
    if (path === "/applications") {
      await console.request("/api/client/register", {
        method: "POST",
        token: BACKEND_TOKEN,
        body: { appName: "kept", strategies: [], started: new Date().toISOString(), interval: 10 },
      });
    }
    const addresses: Readonly<Record<string, string>> = {
      "/archive": `/projects/${project}/archive`,
      "/playground": "/playground?run=true",
    };
    const page = await console.open(addresses[path] ?? path);
    const search = page.getByRole("searchbox", { name: label });
    await search.fill("nothing like this");
    await expect.poll(() => parametersOf(page)["query"]).toBe("nothing like this");
    await page.reload();
    expect(await search.inputValue()).toBe("nothing like this");
    await page.getByRole("button", { name: /^Show all/ }).click();
    await expect.poll(() => parametersOf(page)["query"]).toBeUndefined();
    expect(await search.inputValue()).toBe("");
  });
});
