import { expect, test } from "vitest";
import { choose, field, rowNames, runAction } from "./_actions.ts";
import { clickControl, describeConsole, expectAccessible, SIZES } from "./_console.ts";
import { waitForMessage } from "./_flags.ts";

describeConsole("API tokens", (console) => {
  test.each(SIZES)("tokens are created, shown once and deleted on a %s", async (size) => {
    const name = `Shop on a ${size}`;
    const page = await console.open("/tokens", { size });
    await page.getByRole("button", { name: "New token" }).click();
    const form = page.getByRole("dialog", { name: "New API token" });
    await form.getByRole("button", { name: "Create token" }).click();
    await form.getByText("Enter a name.").waitFor();
    await form.getByText("Choose an environment.").waitFor();
    await field(form, "Name").fill(name);
    await expectAccessible(page);
    await choose(page.getByRole("dialog"), "Environment", "production");
    await choose(page.getByRole("dialog"), "Projects", "Only some projects");
    await form.getByRole("button", { name: "Create token" }).click();
    await form.getByText("Choose a project").waitFor();
    await expectAccessible(page);
    await clickControl(form.getByRole("checkbox", { name: "Default" }));
    await choose(page.getByRole("dialog"), "Expires", "In 30 days");
    await expectAccessible(page);
    await form.getByRole("button", { name: "Create token" }).click();

    const created = page.getByRole("dialog", { name: `Your new token ${name}` });
    await created.getByText("shown only this once").waitFor();
    const secret = (await created.locator("code").first().textContent()) ?? "";
    expect(secret).toMatch(/^default:production\.[0-9a-f]{56}$/);
    await created.getByText(`FLAGS_API_TOKEN=${secret}`).waitFor();
    await expectAccessible(page);
    const reading = await console.request("/api/client/features", { token: secret });
    expect(reading.status).toBe(200);

    await created.getByRole("button", { name: "Done" }).click();
    expect(await page.content()).not.toContain(secret);
    const stored = await page.evaluate(() =>
      [localStorage, sessionStorage].map((storage) => JSON.stringify(storage)).join("\n"),
    );
    expect(stored).not.toContain(secret);

    await page.getByRole("searchbox").fill(name);
    await expect.poll(() => rowNames(page, "API tokens")).toEqual([name]);
    await page.getByText("in 29 days").waitFor();
    await expectAccessible(page);
    await runAction(page, name, "Delete");
    const dialog = page.getByRole("dialog", { name: `Delete the token ${name}?` });
    await dialog.getByText("no longer receive changes").waitFor();
    await expectAccessible(page);
    await dialog.getByRole("button", { name: "Delete" }).click();
    await waitForMessage(page, `Deleted the token ${name}`);
    expect((await console.request("/api/client/features", { token: secret })).status).toBe(401);
  });

  test.each(SIZES)(
    "the expiry of a token can be changed, and Undo reverts this, on a %s",
    async (size) => {
      const tokenName = `Expiring on a ${size}`;
      const expiresAt = "2999-01-01T00:00:00.000Z";
      await console.admin("POST", "/api-tokens", { tokenName, type: "viewer", expiresAt });
      const readExpiry = async (): Promise<unknown> => {
        const path = `/api-tokens/${encodeURIComponent(tokenName)}`;
        const { tokens } = (await console.admin("GET", path)) as {
          readonly tokens: readonly { readonly expiresAt: string | null }[];
        };
        return tokens[0]?.expiresAt;
      };
      const page = await console.open("/tokens", { size });
      await runAction(page, tokenName, "Change the expiry");
      await expectAccessible(page);
      await page.getByLabel("Expires at").fill("2020-01-01T00:00");
      await page.getByRole("button", { name: "Save" }).click();
      await page.getByText("Choose a time in the future").waitFor();
      expect(await readExpiry()).toBe(expiresAt);
      await choose(page.getByRole("dialog"), "Expires", "Never");
      await page.getByRole("button", { name: "Save" }).click();
      const message = await waitForMessage(page, `Changed when ${tokenName} expires`);
      expect(await readExpiry()).toBeNull();
      await message.getByRole("button", { name: "Undo" }).click();
      await expect.poll(readExpiry).toBe(expiresAt);
    },
  );

  test("tokens for people have no environment, and can expire only in the future", async () => {
    const page = await console.open("/tokens");
    await page.getByRole("button", { name: "New token" }).click();
    const form = page.getByRole("dialog", { name: "New API token" });
    await field(form, "Name").fill("Anna");
    await choose(page.getByRole("dialog"), "Type", "Editor");
    expect(await form.getByRole("button", { name: "Environment" }).count()).toBe(0);
    await choose(page.getByRole("dialog"), "Expires", "On a date");
    await form.getByLabel("Expires at").fill("2020-01-01T00:00");
    await form.getByRole("button", { name: "Create token" }).click();
    await form.getByText("Choose a time in the future").waitFor();
    await form.getByLabel("Expires at").fill("2999-01-01T00:00");
    await form.getByRole("button", { name: "Create token" }).click();
    const created = page.getByRole("dialog", { name: "Your new token Anna" });
    const secret = (await created.locator("code").first().textContent()) ?? "";
    const response = await console.request("/api/admin/user", { token: secret });
    expect(response.status).toBe(200);
  });

  test("tokens are filtered by type and environment", async () => {
    for (const [tokenName, type] of [
      ["filter-backend", "backend"],
      ["filter-frontend", "frontend"],
    ]) {
      await console.admin("POST", "/api-tokens", { tokenName, type, environment: "development" });
    }
    const page = await console.open("/tokens");
    await page.getByRole("searchbox").fill("filter-");
    await choose(page, "Type", "Frontend");
    await expect.poll(() => rowNames(page, "API tokens")).toEqual(["filter-frontend"]);
    await choose(page, "Type", "All types");
    await choose(page, "Environment", "production");
    await page.getByRole("heading", { name: "No token matches" }).waitFor();
    await choose(page, "Environment", "development");
    await expect
      .poll(() => rowNames(page, "API tokens"))
      .toEqual(["filter-backend", "filter-frontend"]);
  });

  test("a dialog warns before one's own token and the only admin token are deleted", async () => {
    const page = await console.open("/tokens");
    const dialog = page.getByRole("dialog", { name: "Delete the token init-admin?" });
    const own = dialog.getByText("You are signed in with this token");
    const only = dialog.getByText("This is the only admin token");
    await runAction(page, "init-admin", "Delete");
    await own.waitFor();
    await only.waitFor();
    await expectAccessible(page);
    await dialog.getByRole("button", { name: "Cancel" }).click();

    await console.admin("POST", "/api-tokens", { tokenName: "Second admin", type: "admin" });
    await page.getByRole("row", { name: "Second admin" }).waitFor();
    await runAction(page, "init-admin", "Delete");
    await own.waitFor();
    expect(await only.count()).toBe(0);
    await dialog.getByRole("button", { name: "Cancel" }).click();
    await runAction(page, "Second admin", "Delete");
    await page.getByRole("dialog", { name: "Delete the token Second admin?" }).waitFor();
    expect(await page.getByText("You are signed in with this token").count()).toBe(0);
  });

  test("editors can neither create nor delete tokens", async () => {
    const page = await console.open("/tokens", { role: "editor" });
    await page.getByRole("table", { name: "API tokens" }).waitFor();
    expect(await page.getByRole("button", { name: "New token" }).count()).toBe(0);
    expect(await page.getByRole("button", { name: /^Actions for/ }).count()).toBe(0);
  });
});
