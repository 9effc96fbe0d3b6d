import { sql } from "drizzle-orm";
import { STARTED_AT } from "../domain/lifecycle/read-lifecycles.ts";
import { rowsOf } from "../storage/database.ts";
import { SYSTEM_ACTOR } from "../storage/events.ts";
import { environments } from "../storage/schema/projects.ts";
import { featureEnvironments, features } from "../storage/schema/features.ts";
import { lifecycles } from "../storage/schema/lifecycles.ts";
import type { Storage } from "../storage/storage.ts";

/** Records that flags have reached the stages `pre-live` and `live`, from when they were last used. Stages are never left again. */
export async function advanceStages(
  storage: Pick<Storage, "db" | "write">,
  now: Date,
): Promise<void> {
  const seenAt = featureEnvironments.lastSeenAt;
  const isLive = sql`${environments.type} = 'production' and ${featureEnvironments.enabled}
    and ${seenAt} > ${now.toISOString()}::timestamptz - interval '1 day'`;
  const reached = sql`
    select ${features.name} as feature, min(${seenAt}) as pre_live_at,
      min(${seenAt}) filter (where ${isLive}) as live_at
    from ${features}
    join ${featureEnvironments} on ${featureEnvironments.feature} = ${features.name}
    join ${environments} on ${environments.name} = ${featureEnvironments.environment}
    left join ${lifecycles} on ${lifecycles.feature} = ${features.name}
    where ${features.archivedAt} is null and ${lifecycles.completedAt} is null
      and ${lifecycles.liveAt} is null and ${seenAt} >= ${STARTED_AT}
      and (${lifecycles.preLiveAt} is null or ${isLive})
    group by ${features.name}`;
  const [first] = rowsOf(await storage.db.execute(sql`${reached} limit 1`));
  if (first === undefined) return;
  await storage.write(SYSTEM_ACTOR, ({ db }) =>
    db.execute(sql`
      insert into lifecycles (feature, pre_live_at, live_at) ${reached}
      on conflict (feature) do update set
        pre_live_at = coalesce(lifecycles.pre_live_at, excluded.pre_live_at),
        live_at = coalesce(lifecycles.live_at, excluded.live_at)`),
  );
}
