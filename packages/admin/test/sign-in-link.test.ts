import { eq } from "drizzle-orm";
import { expect, test } from "vitest";
import { createLinkOf } from "../src/accounts/user-links.ts";
import { SYSTEM_ACTOR } from "../src/storage/events.ts";
import { userLinks, users } from "../src/storage/schema/accounts.ts";
import { createUser, PASSWORD } from "./_accounts.ts";
import { useService } from "./_service.ts";
import { FROM_PAGE, toCookie } from "./_sessions.ts";
import { describeStorages } from "./_storages.ts";

describeStorages("a link that signs in", (source) => {
  const service = useService(source);

  const createLink = (user: string, kind: "reset" | "sign-in" = "sign-in") =>
    service.storage.write(SYSTEM_ACTOR, (transaction) => createLinkOf(transaction, user, kind));

  const open = (token: string, headers: Readonly<Record<string, string>> = {}, method = "GET") =>
    service.request(`/auth/link?token=${token}`, { method, headers, redirect: "manual" });

  /** Opens a link, and returns where it leads to and the headers of a page after that. */
  const follow = async (token: string, headers?: Readonly<Record<string, string>>) => {
    const response = await open(token, headers);
    const [cookie] = response.headers.getSetCookie();
    return {
      location: response.headers.get("location"),
      page: cookie === undefined ? undefined : { ...toCookie(cookie), ...FROM_PAGE },
    };
  };
  const REFUSED = { location: "../sign-in?problem=link", page: undefined };

  const choosePassword = (token: string) =>
    service.request("/auth/reset/password", {
      method: "POST",
      body: { token, password: PASSWORD },
    });

  test("works exactly once, and leads to the console again where it was opened", async () => {
    await createUser(service, "anna");
    const link = await createLink("anna");
    expect((await open(link, {}, "HEAD")).status).toBe(404);
    const both = await Promise.all([follow(link), follow(link)]);
    expect(both.map(({ location }) => location).toSorted()).toEqual([
      "../",
      "../sign-in?problem=link",
    ]);
    const page = both.find((each) => each.page !== undefined)?.page ?? {};
    const user = await service.request("/api/admin/user", { headers: page });
    expect(await user.json()).toMatchObject({ user: { username: "anna" } });
    expect(await follow(link, page)).toEqual({ location: "../", page: undefined });
    expect(await follow(link)).toEqual(REFUSED);
  });

  test("is stored hashed, and ends when it expires, is replaced, or the account is disabled", async () => {
    const { id } = await createUser(service, "bob");
    const replaced = await createLink("bob");
    const link = await createLink(String(id));
    const rows = await service.storage.db.select().from(userLinks).where(eq(userLinks.userId, id));
    expect(rows).toMatchObject([{ kind: "sign-in", usedAt: null }]);
    expect(JSON.stringify(rows)).not.toContain(link);
    for (const token of [replaced, "unknown", ""]) {
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      expect(await follow(token)).toEqual(REFUSED);
    }
    await service.storage.transact((db) => db.update(users).set({ disabledAt: new Date() }));
    expect(await follow(link)).toEqual(REFUSED);
    await expect(createLink("bob")).rejects.toThrow("must be of a user who is not disabled");
    await service.storage.transact((db) => db.update(users).set({ disabledAt: null }));
    await service.storage.transact((db) => db.update(userLinks).set({ expiresAt: new Date() }));
    expect(await follow(link)).toEqual(REFUSED);
    expect((await follow(await createLink("bob"))).location).toBe("../");
  });

  test("does not choose a password, and a link that does is not used to sign in", async () => {
    await createUser(service, "carl");
    const reset = await createLink("carl", "reset");
    expect(await follow(reset)).toEqual(REFUSED);
    expect((await choosePassword(reset)).status).toBe(200);
    const link = await createLink("carl");
    expect((await service.request(`/auth/reset/validate?token=${link}`)).status).toBe(401);
    expect((await choosePassword(link)).status).toBe(401);
    expect((await follow(link)).location).toBe("../");
  });
});
