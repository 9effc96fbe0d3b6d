import type { Locator } from "playwright-core";
import { InMemStorageProvider, Unleash } from "unleash-client";
import { expect, onTestFinished, test } from "vitest";
import { sized } from "../../../scripts/test-size.ts";
import { destroyUnleash } from "../../proxy/test/_unleash-client.ts";
import { choose, field } from "./_actions.ts";
import { clickControl, describeConsole, expectAccessible } from "./_console.ts";
import { waitForMessage } from "./_flags.ts";

/** Widths of the screens in pixels. */
const WIDTHS: readonly number[] = sized([1024], [390, 1024, 1440]);

describeConsole("targeting thousands of customers", (console) => {
  test.each(WIDTHS)("5,000 pasted addresses get a flag in production, at %i px", async (width) => {
    const flag = `for-customers-${width}`;
    const customers = Array.from({ length: 5000 }, (_, index) => `customer-${index}@shop.example`);
    await console.admin("POST", "/projects/default/features", { name: flag });
    const isOnFor = await startClient(flag);

    const page = await console.open("/segments", { size: width < 768 ? "phone" : "desktop" });
    await page.setViewportSize({ width, height: 900 });
    await page.getByRole("button", { name: "New segment" }).first().click();
    const form = page.getByRole("dialog", { name: "New segment" });
    await field(form, "Name").fill(`customers-${width}`);
    await form.getByRole("button", { name: "Add constraint" }).click();
    const constraint = form.getByRole("group", { name: "Constraint 1", exact: true });
    await constraint.getByRole("combobox", { name: "Context field" }).fill("userId");
    await page.keyboard.press("Tab");
    await paste(field(constraint, "Values"), customers.join("\n"));
    await constraint.getByText("5,000 values", { exact: true }).waitFor();
    await constraint.getByText(/^Adds \d+ kB, before compression/).waitFor();
    await expectAccessible(page);
    expect(await form.evaluate((dialog) => dialog.scrollWidth - dialog.clientWidth)).toBe(0);
    await form.getByRole("button", { name: "Create segment" }).click();
    await waitForMessage(page, `Created customers-${width}`);
    await expectAccessible(page);

    await page.goto(
      new URL(`projects/default/flags/${flag}`, page.url().replace(/segments.*/, "")).href,
    );
    const production = page.getByRole("region", { name: "production" });
    await production.getByRole("button", { name: "Add strategy" }).click();
    const dialog = page.getByRole("dialog", { name: "New strategy in production" });
    await choose(dialog, "Add a segment", `customers-${width}`);
    await dialog.getByRole("group", { name: `Segment customers-${width}` }).waitFor();
    await expectAccessible(page);
    await dialog.getByRole("button", { name: "Add strategy" }).click();
    await dialog.waitFor({ state: "detached" });
    await clickControl(production.getByRole("switch"));
    const question = page.getByRole("dialog").filter({ hasText: `customers-${width}` });
    await question.getByRole("button", { name: "Turn on" }).click();
    await production
      .getByRole("switch", { name: "On", exact: true })
      .waitFor({ state: "attached" });
    await expectAccessible(page);

    await expect.poll(() => isOnFor("customer-4999@shop.example")).toBe(true);
    expect(isOnFor("customer-0@shop.example")).toBe(true);
    expect(isOnFor("customer-5000@shop.example")).toBe(false);
    expect(isOnFor("CUSTOMER-0@shop.example")).toBe(false);
  });

  /** Starts an application with the official client. Returns whether it gives the flag to a user. */
  async function startClient(flag: string): Promise<(userId: string) => boolean> {
    const { secret } = (await console.admin("POST", "/api-tokens", {
      tokenName: `shop-${flag}`,
      type: "backend",
      environment: "production",
      projects: ["*"],
    })) as { readonly secret: string };
    const client = new Unleash({
      url: `${console.url}/api`,
      appName: "shop",
      customHeaders: { Authorization: secret },
      storageProvider: new InMemStorageProvider(),
      refreshInterval: 100,
    });
    onTestFinished(() => destroyUnleash(client));
    await new Promise((resolve) => client.once("synchronized", resolve));
    return (userId) => client.isEnabled(flag, { userId });
  }
});

function paste(into: Locator, text: string): Promise<void> {
  return into.evaluate((element, pasted) => {
    const clipboardData = new DataTransfer();
    clipboardData.setData("text/plain", pasted);
    element.dispatchEvent(
      new ClipboardEvent("paste", { clipboardData, bubbles: true, cancelable: true }),
    );
  }, text);
}
