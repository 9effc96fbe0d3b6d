// Databases of versions without accounts.

import { createHash } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sql } from "drizzle-orm";
import { describe, expect, onTestFinished, test } from "vitest";
import { isComplete } from "../../../scripts/test-size.ts";
import type { Database } from "../src/storage/database.ts";
import { MIGRATIONS, migrate } from "../src/storage/migrate.ts";
import { openStorage } from "../src/storage/open-storage.ts";
import type { Storage } from "../src/storage/storage.ts";
import { createTestDatabase, skipsPostgres } from "./_postgres.ts";
import { PUBLIC_URL, startProvider } from "./_openid-provider.ts";
import { type Service, startService } from "./_service.ts";
import { FROM_PAGE } from "./_sessions.ts";
import { silentLogger } from "./_storages.ts";

const ROLES = ["admin", "editor", "viewer"] as const;
const hash = (text: string): string => createHash("sha256").update(text).digest("hex");

/** Returns an id of a session, of the form that versions without accounts created. */
const idOf = (name: string): string => createHash("sha256").update(name).digest("base64url");

/** Writes what a version without accounts has written: tokens, sessions of tokens and of OpenID Connect, and events. */
async function fill(db: Database, issuer: string): Promise<void> {
  for (const [index, type] of [...ROLES, "backend"].entries()) {
    const id = `token-${type}`;
    const environment = type === "backend" ? "development" : "*";
    // oxlint-disable no-await-in-loop -- one after the other
    await db.execute(sql`
      insert into api_tokens (id, name, secret_hash, type, environment, projects, created_by)
      values (${id}, ${type}, ${hash(`*:${environment}.${type}-of-before`)}, ${type}, ${environment}, '["*"]', 'system')`);
    if (type === "backend") continue;
    const [createdAt, expiresAt] = [
      new Date().toISOString(),
      new Date(Date.now() + 3.6e6).toISOString(),
    ];
    await db.execute(sql`
      insert into sessions (id_hash, user_id, token_id, issuer, user_name, role, created_at, expires_at)
      values (${hash(idOf(`session-${type}`))}, ${id}, ${id}, null, ${type}, null, ${createdAt}, ${expiresAt}),
        (${hash(idOf(`openid-${type}`))}, ${`${issuer} ${index}`}, null, ${issuer}, ${`Jane ${index}`}, ${type}, ${createdAt}, ${expiresAt})`);
    await db.execute(sql`
      insert into events (type, created_by, actor_kind, actor_id, project, data)
      values ('project-updated', ${`openid:Jane ${index}`}, 'openid', ${`${issuer} ${index}`}, 'default', '{}')`);
    // oxlint-enable no-await-in-loop
  }
}

const KINDS = {
  "the embedded database": () => {
    const dataDir = mkdtempSync(join(tmpdir(), "flags-admin-upgrade-"));
    onTestFinished(() => rmSync(dataDir, { recursive: true, force: true }));
    return { dataDir };
  },
  PostgreSQL: async () => ({ dataDir: "", databaseUrl: await createTestDatabase() }),
};

describe.each(Object.keys(KINDS) as (keyof typeof KINDS)[])("an upgrade on %s", (kind) => {
  const skips = kind === "PostgreSQL" && skipsPostgres;
  // The schema version without the last use of sessions, and the last one without accounts.
  const versions = kind === "PostgreSQL" || isComplete ? [7, 10] : [10];

  test.skipIf(skips).each(versions)("from schema version %i", async (version) => {
    const provider = await startProvider();
    const { issuer } = provider.config;
    const options = { ...(await KINDS[kind]()), logger: silentLogger };
    const old = await openStorage({
      ...options,
      prepareSchema: (db) => migrate(db, MIGRATIONS.slice(0, version)),
    });
    await old.db.transaction((db) => fill(db, issuer));
    await old.close();

    const storage: Storage = await openStorage(options);
    onTestFinished(() => storage.close());
    const service = await startService(storage, { openId: provider.config, publicUrl: PUBLIC_URL });
    for (const role of ROLES) {
      const token = `*:*.${role}-of-before`;
      // oxlint-disable no-await-in-loop -- one after the other
      expect(await can(service, { authorization: token })).toEqual(expected(role));
      for (const session of ["session", "openid"]) {
        const headers = { cookie: cookieOf(`${session}-${role}`), ...FROM_PAGE };
        expect([session, await can(service, headers)]).toEqual([session, expected(role)]);
      }
      const me = await request(service, "/user", { cookie: cookieOf(`openid-${role}`) });
      const { user } = (await me.json()) as { user: { id: number; name: string; kind: string } };
      expect(user).toMatchObject({ kind: "openid", name: expect.stringMatching(/^Jane \d$/) });
      // oxlint-enable no-await-in-loop
    }
    const sdk = await service.request("/api/client/features", {
      token: "*:development.backend-of-before",
    });
    expect(sdk.status).toBe(200);
    // Everybody sees and changes what they did before: projects are open, and nobody has a role in one.
    const admin = { authorization: "*:*.admin-of-before" };
    const projects = await request(service, "/projects", admin);
    expect(await projects.json()).toMatchObject({ projects: [{ id: "default", mode: "open" }] });
    const access = await request(service, "/projects/default/access", admin);
    expect(await access.json()).toMatchObject({ users: [] });
    const accounts = await request(service, "/user-admin", admin);
    expect(((await accounts.json()) as { users: object[] }).users).toHaveLength(3);
    const events = await request(service, "/events?type=project-updated", admin);
    expect(await events.text()).toContain(`"createdByIssuer":${JSON.stringify(issuer)}`);
    expect(service.errors).toEqual([]);
  });
});

const request = (service: Service, path: string, headers: Readonly<Record<string, string>>) =>
  service.request(`/api/admin${path}`, { headers });

const cookieOf = (name: string): string =>
  `__Host-flags_session=${idOf(name)}; flags_session=${idOf(name)}`;

/** Returns what somebody may do: read, change flags, and change tokens. */
async function can(service: Service, headers: Readonly<Record<string, string>>) {
  const statuses = [];
  for (const [method, path, body] of [
    ["GET", "/projects", undefined],
    ["POST", "/tags", {}],
    ["POST", "/api-tokens", {}],
  ] as const) {
    // oxlint-disable-next-line no-await-in-loop -- one after the other
    const { status } = await service.request(`/api/admin${path}`, { method, headers, body });
    statuses.push(status);
  }
  return statuses;
}

function expected(role: (typeof ROLES)[number]): readonly number[] {
  const level = ROLES.toReversed().indexOf(role);
  return [200, level > 0 ? 400 : 403, level > 1 ? 400 : 403];
}
