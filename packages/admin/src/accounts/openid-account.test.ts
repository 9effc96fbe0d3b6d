import { expect, test } from "vitest";
import { ProjectAccess, readProjectAccess } from "../access/project-access.ts";
import { describeAnyStorage } from "../../test/_storages.ts";
import { SYSTEM_ACTOR } from "../storage/events.ts";
import { users } from "../storage/schema/accounts.ts";
import { projects } from "../storage/schema/projects.ts";
import { type OpenIdIdentity, updateOpenIdAccount } from "./openid-account.ts";

const JANE: OpenIdIdentity = {
  issuer: "https://id.example",
  subject: "jane",
  name: "Jane",
  email: "jane@example.com",
  role: "editor",
  projectRoles: [],
};

describeAnyStorage("accounts of OpenID Connect", (source) => {
  test("the claims decide at each sign-in, and a sign-in that changes nothing writes nothing", async () => {
    const storage = await source.openFresh();
    const first = await updateOpenIdAccount(storage, JANE, undefined);
    expect(first).toMatchObject({ name: "Jane", role: "editor", roleAssigned: false });
    const revision = await storage.revision();
    expect(await updateOpenIdAccount(storage, JANE, undefined)).toEqual(first);
    expect(await storage.revision()).toBe(revision);
    const promoted = await updateOpenIdAccount(storage, { ...JANE, role: "admin" }, undefined);
    expect(promoted).toMatchObject({ id: first?.id, role: "admin" });
    const demoted = await updateOpenIdAccount(storage, { ...JANE, role: undefined }, "viewer");
    expect(demoted).toMatchObject({ id: first?.id, role: "viewer" });
    expect(await updateOpenIdAccount(storage, { ...JANE, role: undefined }, undefined)).toBe(
      undefined,
    );
  });

  test("a role that an admin has chosen stays if the claims name none", async () => {
    const storage = await source.openFresh();
    const identity = { ...JANE, role: undefined };
    await updateOpenIdAccount(storage, identity, "viewer");
    await storage.write(SYSTEM_ACTOR, ({ db }) =>
      db.update(users).set({ role: "admin", roleAssigned: true }),
    );
    expect(await updateOpenIdAccount(storage, identity, "viewer")).toMatchObject({ role: "admin" });
    expect(await updateOpenIdAccount(storage, identity, undefined)).toMatchObject({
      role: "admin",
    });
    expect(await updateOpenIdAccount(storage, JANE, "viewer")).toMatchObject({
      role: "editor",
      roleAssigned: false,
    });
  });

  test("another identity with the same name and email address is another account", async () => {
    const storage = await source.openFresh();
    const jane = await updateOpenIdAccount(storage, JANE, undefined);
    const other = await updateOpenIdAccount(storage, { ...JANE, subject: "eve" }, undefined);
    expect(other?.id).not.toBe(jane?.id);
  });

  test("roles in projects follow the claims", async () => {
    const storage = await source.openFresh();
    await storage.write(SYSTEM_ACTOR, ({ db }) =>
      db.insert(projects).values({ id: "secret", name: "Secret", mode: "private" }),
    );
    const levelOf = async (projectRoles: OpenIdIdentity["projectRoles"]) => {
      const account = await updateOpenIdAccount(storage, { ...JANE, projectRoles }, undefined);
      if (account === undefined) throw new Error("The user has no account");
      const access = (await readProjectAccess(storage.db, [account])).get(account.id);
      return (access ?? ProjectAccess.everywhere("admin")).levelIn("secret");
    };
    const member = { project: "secret", role: "member" } as const;
    expect(await levelOf([])).toBe(undefined);
    expect(await levelOf([member, { project: "unknown", role: "owner" }])).toBe("editor");
    expect(await levelOf([{ project: "secret", role: "owner" }, member])).toBe("owner");
    expect(await levelOf([])).toBe(undefined);
  });
});
