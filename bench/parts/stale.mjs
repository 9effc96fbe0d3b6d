// How long the service searches 5,000 flags with 91 days of usage for stale ones, and how long that holds up its event loop. With
// the embedded database, which does everything on the same thread.

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { sql } from "drizzle-orm";
import { toTable } from "../lib/report.mjs";

const FLAG_COUNT = 5000;
const ADMIN = "../../packages/admin/dist";

export async function runStaleBench() {
  const [{ openStorage }, { findStaleFlags }, { advanceStages }] = await Promise.all(
    ["storage/open-storage", "lifecycle/find-stale-flags", "lifecycle/advance-stages"].map(
      (name) => import(`${ADMIN}/${name}.js`),
    ),
  );
  const dataDir = await mkdtemp(join(tmpdir(), "flags-bench-stale-"));
  const storage = await openStorage({ dataDir, logger: console });
  try {
    await fill(storage.db);
    const now = new Date();
    return [
      await measure("first search", () => findStaleFlags(storage, now)),
      await measure("search without changes", () => findStaleFlags(storage, now)),
      await measure("first stages", () => advanceStages(storage, now)),
      await measure("stages, each minute", () => advanceStages(storage, now)),
    ];
  } finally {
    await storage.close();
    await rm(dataDir, { recursive: true, force: true });
  }
}

/** A third of the flags was last used more than 40 days ago, and a fifth gives more than one result. */
async function fill(db) {
  await db.execute(sql`
    insert into features (name, project, created_by, created_at)
    select 'flag-' || number, 'default', 'bench', now() - interval '200 days'
    from generate_series(1, ${FLAG_COUNT}::int) as number`);
  await db.execute(sql`
    insert into feature_environments (feature, environment, enabled, last_seen_at)
    select name, environment, true,
      now() - case when hashtext(name) % 3 = 0 then interval '41 days' else interval '1 minute' end
    from features join project_environments using (project)`);
  const apps = sql`unnest(array['shop', 'blog']) as app`;
  const no = sql`case when hashtext(name) % 5 = 0 then 1 else 0 end`;
  await db.execute(sql`
    insert into feature_usage_days (feature, environment, day, app_name, yes, no)
    select name, environment, date_trunc('day', now(), 'UTC') - make_interval(days => ago), app, 10, ${no}
    from feature_environments join features on name = feature, ${apps}, generate_series(2, 92) as ago
    where hashtext(name) % 3 <> 0 or ago > 40`);
  await db.execute(sql`
    insert into feature_usage (feature, environment, hour, app_name, yes, no)
    select name, environment, date_trunc('hour', now(), 'UTC') - make_interval(hours => ago), app, 10, ${no}
    from feature_environments join features on name = feature, ${apps}, generate_series(0, 47, 8) as ago
    where hashtext(name) % 3 <> 0`);
  await db.execute(sql`analyze`);
}

async function measure(work, run) {
  const delays = monitorEventLoopDelay({ resolution: 1 });
  delays.enable();
  const cpu = process.cpuUsage();
  const startMs = performance.now();
  const changes = await run();
  const seconds = (performance.now() - startMs) / 1000;
  const { user, system } = process.cpuUsage(cpu);
  delays.disable();
  return {
    work,
    "changed flags": String(changes ?? ""),
    seconds: seconds.toFixed(1),
    "CPU seconds": ((user + system) / 1e6).toFixed(2),
    "event loop held up, p99 ms": String(Math.round(delays.percentile(99) / 1e6)),
    "at most, ms": String(Math.round(delays.max / 1e6)),
  };
}

export function reportStale(rows) {
  return `## Searching ${FLAG_COUNT} flags for stale ones, embedded database\n\n${toTable(rows)}`;
}
