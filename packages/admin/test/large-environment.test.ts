// A large environment on the embedded database, which blocks the process while it runs a statement.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sql } from "drizzle-orm";
import { expect, onTestFinished, test } from "vitest";
import { openStorage } from "../src/storage/open-storage.ts";
import type { Storage } from "../src/storage/storage.ts";
import { switchFlag } from "./_flags.ts";
import { BACKEND_TOKEN, KNOWS_SEGMENTS, type Service, startService } from "./_service.ts";
import { copyFreshDatabase, silentLogger } from "./_storages.ts";

async function openEmbedded(): Promise<Storage> {
  const dataDir = mkdtempSync(join(tmpdir(), "flags-admin-"));
  onTestFinished(() => rmSync(dataDir, { recursive: true, force: true }));
  await copyFreshDatabase(dataDir);
  const storage = await openStorage({ dataDir, logger: silentLogger });
  onTestFinished(() => storage.close());
  return storage;
}

/** Creates 500 flags with 20 strategies each: through the API, that would take longer than the test. */
function createFlags(storage: Storage): Promise<void> {
  return storage.transact(async (db) => {
    await db.execute(sql`
      insert into features (name, project, created_by)
      select 'flag-' || i, 'default', 'test' from generate_series(1, 500) as i`);
    await db.execute(sql`
      insert into feature_environments (feature, environment, enabled)
      select name, 'development', true from features`);
    await db.execute(sql`
      insert into strategies (id, feature, environment, name, sort_order, constraints)
      select name || '-' || i, name, 'development', 'default', i,
        '[{"contextName": "region", "operator": "IN", "values": ["north", "south"]}]'
      from features, generate_series(1, 20) as i`);
  });
}

async function poll(service: Service): Promise<string> {
  const call = { token: BACKEND_TOKEN, headers: KNOWS_SEGMENTS };
  return (await service.request("/api/client/features", call)).text();
}

/** Returns how long some work takes, and the longest that `/health` takes meanwhile. */
async function measure(service: Service, work: () => Promise<unknown>) {
  const state = { isEnded: false };
  const probe = async (): Promise<number> => {
    const startMs = performance.now();
    await (await service.request("/health")).text();
    return performance.now() - startMs;
  };
  const probeUntilEnded = async (): Promise<number> => {
    let longestMs = 0;
    while (!state.isEnded) longestMs = Math.max(longestMs, await probe());
    return longestMs;
  };
  await probe();
  const probing = probeUntilEnded();
  const startMs = performance.now();
  await work();
  const ms = performance.now() - startMs;
  state.isEnded = true;
  return { ms, healthMs: await probing };
}

test("a large environment does not block the service while it is loaded, and is not loaded again after a change", async () => {
  const storage = await openEmbedded();
  const service = await startService(storage);
  await createFlags(storage);

  const first = await measure(service, () => poll(service));
  // It is an eighth. In one piece, the strategies alone took more than half of the time.
  expect(first.healthMs).toBeLessThan(first.ms / 3);

  let document = "";
  const changed = await measure(service, async () => {
    await switchFlag(service, "flag-7", { on: false });
    document = await poll(service);
  });
  expect(document).toContain('{"name":"flag-7","type":"release","enabled":false,');
  expect(changed.ms).toBeLessThan(first.ms / 2);
});
