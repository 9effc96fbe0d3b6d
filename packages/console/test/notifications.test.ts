import { expect, test } from "vitest";
import { startReceiver, withStatus } from "../../admin/test/_receiver.ts";
import { choose, field, rowNames, runAction } from "./_actions.ts";
import { clickControl, describeConsole, expectAccessible, SIZES } from "./_console.ts";
import { switchOf, waitForMessage } from "./_flags.ts";

describeConsole(
  "notifications",
  (console) => {
    test.each(SIZES)("tell a Slack channel who switched a flag on a %s", async (size) => {
      const receiver = await startReceiver();
      const name = `#releases on a ${size}`;
      const flag = `notified-${size}`;
      await console.admin("POST", "/projects/default/features", { name: flag });
      const page = await console.open("/notifications", { size, expected: /400/ });
      await page.getByRole("button", { name: "New notification" }).click();
      const form = page.getByRole("dialog", { name: "New notification" });
      await expectAccessible(page);
      await field(form, "Name").fill(name);
      await field(form, "Webhook URL").fill("http://10.0.0.1/services/secret");
      await form.getByRole("button", { name: "Create notification" }).click();
      await form.getByText("add it to WEBHOOK_ALLOW_LIST").waitFor();
      await field(form, "Webhook URL").fill(receiver.url);
      await form.getByRole("button", { name: "Choose events of flags" }).click();
      await expectAccessible(page);
      await form.getByRole("button", { name: "Create notification" }).click();
      await waitForMessage(page, "Created the notification");
      await expect.poll(() => rowNames(page, "Notifications")).toContain(name);
      await expectAccessible(page);

      await page.goto(`${console.url}/projects/default/flags`);
      await clickControl(switchOf(page, flag));
      // The first one is about the strategy for everyone that a flag without strategies gets.
      const [, received] = await receiver.waitFor(2);
      expect(JSON.parse(received?.body ?? "")).toEqual({
        text: expect.stringMatching(
          new RegExp(`^\\S.* turned on ${flag} in development\\nproject default, development`),
        ),
      });

      await page.goto(`${console.url}/notifications`);
      await page.getByRole("link", { name, exact: true }).click();
      await page.getByText("Flag turned on").waitFor();
      await page.getByText("Sent", { exact: true }).first().waitFor();
      await page.getByRole("button", { name: "Send a test" }).click();
      await page.getByText("The test arrived").waitFor();
      await expectAccessible(page);

      receiver.answer = withStatus(410);
      await page.getByRole("button", { name: "Send again" }).first().click();
      await page.getByText(`The service has turned off ${name}`).waitFor();
      await expectAccessible(page);
      await page.goto(`${console.url}/projects/default/flags`);
      await page.getByRole("link", { name: "1 notification not working" }).waitFor();
      await page.getByRole("link", { name: "1 notification not working" }).click();
      await page.getByRole("rowheader", { name }).getByRole("link").click();
      await runAction(page, name, "Delete");
      const dialog = page.getByRole("dialog", { name: `Delete the notification ${name}?` });
      await dialog.getByRole("button", { name: "Delete" }).click();
      await page.getByText("Nobody is notified yet").waitFor();
      expect(await page.content()).not.toContain(receiver.url);
    });

    test("show the secret of a webhook once, and replace it", async () => {
      const receiver = await startReceiver();
      const page = await console.open("/notifications", { expected: /400/ });
      await page.getByRole("button", { name: "New notification" }).click();
      await choose(page.getByRole("dialog"), "Send to", "Webhook");
      const form = page.getByRole("dialog", { name: "New notification" });
      await field(form, "Name").fill("A program");
      await field(form, "URL").fill(receiver.url);
      await field(form, "Body template").fill("{{#event}}");
      await form.getByRole("button", { name: "Create notification" }).click();
      await form.getByText("The template must be a valid Mustache template").waitFor();
      await field(form, "Body template").fill("");
      await form.getByRole("button", { name: "Create notification" }).click();
      const shown = page.getByRole("dialog", { name: "The secret of the signatures" });
      const secret = (await shown.locator("code").first().textContent()) ?? "";
      expect(secret).toMatch(/^whsec_/);
      await expectAccessible(page);
      await shown.getByRole("button", { name: "Done" }).click();
      expect(await page.content()).not.toContain(secret);
    });

    test("are only for admins", async () => {
      const page = await console.open("/notifications", { role: "editor" });
      await page.getByText("Only admins see and change notifications.").waitFor();
      expect(await page.getByRole("link", { name: "Notifications" }).count()).toBe(0);
    });
  },
  { webhookAllowList: ["127.0.0.1"] },
);
