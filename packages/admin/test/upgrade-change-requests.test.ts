// A database that the last version without change requests wrote: test/databases/schema-14.jsonl is one of its backups, and
// schema-14-answers.json what it answered to SDKs.

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { describe, expect, onTestFinished, test } from "vitest";
import { restoreBackup } from "../src/backup/restore-backup.ts";
import { openStorage } from "../src/storage/open-storage.ts";
import { logIn } from "./_accounts.ts";
import { makeDirectory } from "./_command.ts";
import { createTestDatabase, skipsPostgres } from "./_postgres.ts";
import {
  BACKEND_TOKEN,
  KNOWS_SEGMENTS,
  PRODUCTION_TOKEN,
  type Service,
  startService,
} from "./_service.ts";
import { silentLogger } from "./_storages.ts";

const read = (name: string): string =>
  readFileSync(join(import.meta.dirname, "databases", name), "utf8");

interface Recorded {
  /** An administrator created it in a session: no second identity of theirs. */
  readonly tokenOfAdministrator: string;
  readonly answers: { readonly development: unknown; readonly production: unknown };
}

const KINDS = {
  "the embedded database": () => ({ dataDir: makeDirectory() }),
  PostgreSQL: async () => ({ dataDir: "", databaseUrl: await createTestDatabase() }),
};

interface Body {
  readonly id: number;
  readonly state: string;
  readonly protection: string;
  readonly secret: string;
  readonly message: string;
  readonly events: readonly { readonly id: number; readonly type: string }[];
}

/** Sends requests to the admin API. Returns the status and the body. */
const callAs =
  (service: Service, headers: Readonly<Record<string, string>>) =>
  async (method: string, path: string, body?: unknown): Promise<[number, Body]> => {
    const response = await service.request(`/api/admin${path}`, { method, headers, body });
    const text = await response.text();
    return [response.status, JSON.parse(text === "" ? "null" : text) as Body];
  };

describe.each(Object.keys(KINDS) as (keyof typeof KINDS)[])(
  "an upgrade to change requests on %s",
  (kind) => {
    test.skipIf(kind === "PostgreSQL" && skipsPostgres)("keeps everything", async () => {
      const { tokenOfAdministrator, answers } = JSON.parse(
        read("schema-14-answers.json"),
      ) as Recorded;
      const options = { ...(await KINDS[kind]()), logger: silentLogger };
      const file = join(makeDirectory(), "backup.gz");
      writeFileSync(file, gzipSync(read("schema-14.jsonl")));
      await restoreBackup(file, (prepareSchema) => openStorage({ ...options, prepareSchema }));
      const storage = await openStorage(options);
      onTestFinished(() => storage.close());
      const service = await startService(storage);

      for (const [environment, token] of [
        ["development", BACKEND_TOKEN],
        ["production", PRODUCTION_TOKEN],
      ] as const) {
        // oxlint-disable no-await-in-loop -- one after the other
        const response = await service.request("/api/client/features", {
          token,
          headers: KNOWS_SEGMENTS,
        });
        expect(await response.json()).toMatchObject(answers[environment] as object);
        // An environment stays as open as it was.
        expect(await service.admin("GET", `/environments/${environment}`)).toMatchObject({
          protection: "none",
        });
        // oxlint-enable no-await-in-loop
      }

      // Approvals work with people, flags, segments and tokens of before.
      await service.admin("PUT", "/environments/update/production", {
        protection: "approvals",
        requiredApprovals: 1,
      });
      const olga = callAs(service, await logIn(service, "olga"));
      const piet = callAs(service, await logIn(service, "piet"));
      const off = "/projects/default/features/checkout/environments/production/off";
      expect((await olga("POST", off))[0]).toBe(400);
      const [status, request] = await olga(
        "POST",
        "/projects/default/environments/production/change-requests",
        { feature: "checkout", action: "updateEnabled", payload: { enabled: false } },
      );
      expect([status, request]).toEqual([200, expect.objectContaining({ state: "Draft" })]);
      const state = `/projects/default/change-requests/${request.id}/state`;
      expect((await olga("PUT", state, { state: "In review" }))[0]).toBe(200);
      expect((await olga("PUT", state, { state: "Approved" }))[0]).toBe(403);
      expect((await piet("PUT", state, { state: "Approved" }))[0]).toBe(200);
      expect((await piet("PUT", state, { state: "Applied" }))[0]).toBe(200);

      // The upgrade knows who created a token: nobody approves what they have requested with a token of theirs.
      const token = callAs(service, { authorization: tokenOfAdministrator });
      const anna = callAs(service, await logIn(service, "anna"));
      const [, ofToken] = await token(
        "POST",
        "/projects/default/environments/production/change-requests",
        { feature: "checkout", action: "updateEnabled", payload: { enabled: true } },
      );
      const stateOfToken = `/projects/default/change-requests/${ofToken.id}/state`;
      expect((await token("PUT", stateOfToken, { state: "In review" }))[0]).toBe(200);
      const [refused, { message }] = await anna("PUT", stateOfToken, { state: "Approved" });
      expect([refused, message]).toEqual([403, expect.any(String)]);

      // An earlier state of a flag can be restored from an event of before.
      const [, { events }] = await olga("GET", "/events/search");
      const created = events.find(({ type }) => type === "feature-created");
      const restore = "/projects/default/features/search/restore";
      expect((await olga("POST", restore, { eventId: created?.id }))[0]).toBe(200);
      expect(await service.admin("GET", "/projects/default/features/search")).toMatchObject({
        dependencies: [],
        environments: [
          { name: "development", enabled: false, strategies: [] },
          { name: "production", enabled: false, strategies: [] },
        ],
      });
      expect(service.errors).toEqual([]);
    });
  },
);
