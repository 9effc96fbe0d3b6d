import { and, eq } from "drizzle-orm";
import type { NewEvent } from "../../storage/event.ts";
import type { Database } from "../../storage/database.ts";
import { featureEnvironments } from "../../storage/schema/features.ts";
import type { WriteTransaction } from "../../storage/storage.ts";

interface Place {
  readonly feature: string;
  readonly environment: string;
}

/** Undefined when the flag does not live in the environment. */
export async function isEnabled(db: Database, place: Place): Promise<boolean | undefined> {
  const [row] = await db
    .select({ enabled: featureEnvironments.enabled })
    .from(featureEnvironments)
    .where(matches(place));
  return row?.enabled;
}

/** Switches a flag and records that, when it is a change. */
export async function setEnabled(
  { db, record }: WriteTransaction,
  { feature, environment, project }: Place & { readonly project: string },
  enabled: boolean,
): Promise<void> {
  const wasEnabled = await isEnabled(db, { feature, environment });
  if (wasEnabled === enabled) return;
  await db.update(featureEnvironments).set({ enabled }).where(matches({ feature, environment }));
  await record(switchEvent({ feature, environment, project }, enabled));
}

/** That a flag was switched on or off. */
export function switchEvent(
  place: Place & { readonly project: string },
  enabled: boolean,
): NewEvent {
  return {
    type: enabled ? "feature-environment-enabled" : "feature-environment-disabled",
    ...place,
    before: { enabled: !enabled },
    after: { enabled },
  };
}

function matches({ feature, environment }: Place) {
  return and(
    eq(featureEnvironments.feature, feature),
    eq(featureEnvironments.environment, environment),
  );
}
