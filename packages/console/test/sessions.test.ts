import { expect, test } from "vitest";
import { createToken } from "../../admin/test/_flags.ts";
import { signIn as signInThere } from "../../admin/test/_sessions.ts";
import { rowNames } from "./_actions.ts";
import { describeConsole, expectAccessible } from "./_console.ts";
import { waitForMessage } from "./_flags.ts";

describeConsole("sessions", (console) => {
  const start = async (tokenName: string) => {
    const { secret } = await createToken(console, { type: "editor", tokenName });
    const { cookie } = await signInThere(console, secret);
    return async () => (await console.request("/auth/session", { headers: cookie })).status;
  };

  test.each(["desktop", "phone"] as const)(
    "an admin sees who is signed in and ends sessions on a %s",
    async (size) => {
      const [first, second, third] = [`Anna-${size}`, `Ben-${size}`, `Carl-${size}`];
      const statuses = [await start(first), await start(second), await start(third)];
      const read = () => Promise.all(statuses.map((status) => status()));
      const page = await console.open("/sessions", { size });
      await page.getByRole("heading", { level: 1, name: "Sessions" }).waitFor();
      await page.getByText("this browser").waitFor();
      await page.getByRole("banner").getByText("init-admin").waitFor();
      await expectAccessible(page);
      await page.getByRole("searchbox").fill(size);
      await expect.poll(() => rowNames(page, "Sessions")).toEqual([third, second, first]);

      await page.getByRole("button", { name: `End the session of ${first}` }).click();
      const dialog = page.getByRole("dialog", { name: `End the session of ${first}?` });
      await dialog.getByText("signed out at once").waitFor();
      await expectAccessible(page);
      await dialog.getByRole("button", { name: "Cancel" }).click();
      expect(await read()).toEqual([200, 200, 200]);
      await page.getByRole("button", { name: `End the session of ${first}` }).click();
      await dialog.getByRole("button", { name: "End", exact: true }).click();
      await waitForMessage(page, `Ended the session of ${first}`);
      expect(await read()).toEqual([401, 200, 200]);
      await expect.poll(() => rowNames(page, "Sessions")).toEqual([third, second]);

      // The search limits which sessions are ended.
      await page.getByRole("searchbox").fill(second);
      await page.getByRole("button", { name: "End 1 session", exact: true }).click();
      const several = page.getByRole("dialog", { name: `End the session of ${second}?` });
      await several.getByRole("button", { name: "End", exact: true }).click();
      await waitForMessage(page, `Ended the session of ${second}`);
      expect(await read()).toEqual([401, 401, 200]);

      await page.getByRole("searchbox").fill("");
      await page.getByRole("button", { name: "End all others" }).click();
      const all = page.getByRole("dialog");
      await expectAccessible(page);
      await all.getByRole("button", { name: "End", exact: true }).click();
      await expect.poll(read).toEqual([401, 401, 401]);
      // The session of the page continues.
      await expect.poll(() => rowNames(page, "Sessions")).toEqual(["init-admin"]);
      const { events } = (await console.admin("GET", "/events?type=session-ended")) as {
        readonly events: readonly {
          readonly preData: { readonly user: { readonly name: string } };
        }[];
      };
      expect(events.map(({ preData }) => preData.user.name)).toEqual(
        expect.arrayContaining([first, second, third]),
      );
    },
  );

  test("a page whose session an admin ends is hidden", async () => {
    const { id, secret } = await createToken(console, { type: "viewer", tokenName: "Dora" });
    const page = await console.openSignedOut("/events", { expected: /status of 401|ERR_/ });
    const following = page.waitForRequest("**/api/admin/changes");
    await page.getByLabel("API token").fill(secret);
    await page.getByRole("button", { name: "Sign in" }).click();
    await (await following).response();
    const { sessions } = (await console.admin("GET", "/sessions")) as {
      readonly sessions: readonly {
        readonly id: string;
        readonly user: { readonly tokenId: string | null };
      }[];
    };
    const own = sessions.find(({ user }) => user.tokenId === id);
    await console.admin("DELETE", `/sessions/${own?.id}`);
    await page.getByRole("dialog", { name: "You are no longer signed in" }).waitFor();
  });

  test("others see only that the page is for admins", async () => {
    const page = await console.open("/sessions", { role: "editor" });
    await page.getByRole("heading", { name: "Only admins can see who is signed in" }).waitFor();
    await expectAccessible(page);
  });
});
