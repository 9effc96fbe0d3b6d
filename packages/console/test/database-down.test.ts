import { describe, expect, onTestFinished, test } from "vitest";
import { skipsChromium } from "../../../scripts/quickstart/_chromium.ts";
import { skipsPostgres, startPostgres } from "../../admin/test/_postgres.ts";
import { ADMIN_TOKEN, startService } from "../../admin/test/_service.ts";
import { openDatabase } from "../../admin/test/_storages.ts";
import { CONSOLE_DIRECTORY, expectAccessible, openPage, signIn } from "./_console.ts";

describe.skipIf(skipsChromium || skipsPostgres)("without a database", () => {
  test("open and new pages say so, and continue by themselves when it is back", async () => {
    const postgres = await startPostgres();
    onTestFinished(() => postgres.close());
    const storage = await openDatabase(await postgres.createDatabase());
    const service = await startService(storage, {}, { consoleDirectory: CONSOLE_DIRECTORY });
    const page = await openPage(`${service.url}/segments`, { expected: /status of 503/ });
    await signIn(page, ADMIN_TOKEN);
    const segments = page.getByText("There are no segments yet");
    await segments.waitFor();

    await postgres.kill();
    const status = page.getByRole("status").getByText("The service is currently unavailable");
    await status.waitFor();
    expect(await segments.isVisible()).toBe(true);
    await page.getByRole("navigation", { name: "Pages" }).locator("summary").click();
    await page.getByRole("link", { name: "Tags" }).click();
    const alert = page.getByRole("alert").getByText("The service is currently unavailable");
    await alert.waitFor();
    await expectAccessible(page);
    const reloaded = await page.context().newPage();
    await reloaded.goto(`${service.url}/segments`);
    await reloaded.getByRole("heading", { name: "The service is currently unavailable" }).waitFor();
    await expectAccessible(reloaded);

    await postgres.restart();
    await reloaded.getByText("There are no segments yet").waitFor();
    await page.getByText("There are no tags yet").waitFor();
    await status.waitFor({ state: "detached" });
  });
});
