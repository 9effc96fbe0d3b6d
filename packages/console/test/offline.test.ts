import { expect, test } from "vitest";
import { field } from "./_actions.ts";
import { describeConsole, expectAccessible, SIZES } from "./_console.ts";

describeConsole("without a network", (console) => {
  // The router logs why it could not load the code of a page.
  const expected = /ERR_INTERNET_DISCONNECTED|UnreachableError/;
  const unreachable = "The service cannot be reached";

  test.each(SIZES)("a change fails instead of being sent later, on a %s", async (size) => {
    const page = await console.open("/projects/default/flags", { size, expected });
    const dialog = page.getByRole("dialog", { name: "New flag" });
    const newFlag = page.getByRole("button", { name: "New flag" });
    await newFlag.click();
    await field(dialog, "Name").fill(`cancelled-${size}`);
    await page.context().setOffline(true);
    await dialog.getByRole("button", { name: "Create flag" }).click();
    await dialog.getByRole("alert").getByText(unreachable).waitFor();
    await expectAccessible(page);
    await dialog.getByRole("button", { name: "Cancel" }).click();
    await page.getByRole("button", { name: "Discard" }).click();
    await dialog.waitFor({ state: "detached" });

    await page.context().setOffline(false);
    await newFlag.click();
    await field(dialog, "Name").fill(`created-${size}`);
    await dialog.getByRole("button", { name: "Create flag" }).click();
    await page.waitForURL(`**/flags/created-${size}`);
    const { features } = (await console.admin("GET", "/projects/default/features")) as {
      readonly features: readonly { readonly name: string }[];
    };
    expect(features.map(({ name }) => name)).not.toContain(`cancelled-${size}`);
  });

  test("a page says that it cannot be loaded, and loads when the network is back", async () => {
    const page = await console.open("/projects/default/flags", { expected });
    await page.context().setOffline(true);
    await page.getByRole("link", { name: "Segments" }).click();
    await page.getByRole("main").getByText(unreachable).waitFor();
    await page.context().setOffline(false);
    await page.getByText("There are no segments yet").waitFor();
  });

  test("the page of a project's settings keeps what was entered, and one message says that it may be outdated", async () => {
    const page = await console.open("/projects/default/settings", { expected });
    const main = page.getByRole("main");
    await field(main, "Description").fill("changed");
    await page.context().setOffline(true);
    await main.getByRole("button", { name: "Save" }).click();
    await page.getByRole("status").getByText("This page shows what it last received").waitFor();
    expect(await page.getByText("This may be outdated").count()).toBe(0);
    await expectAccessible(page);
    expect(await field(main, "Description").inputValue()).toBe("changed");
  });
});
