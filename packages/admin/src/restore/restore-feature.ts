import { and, desc, eq, gte } from "drizzle-orm";
import type { Performer } from "../access/performer.ts";
import { performChange } from "../change-requests/actions.ts";
import type { FeatureAddress } from "../domain/feature.ts";
import { readFeature } from "../domain/features/read-feature.ts";
import { updateFeature } from "../domain/features/update-feature.ts";
import { checkProjectEnvironment } from "../domain/projects/store.ts";
import { listSegmentsById } from "../domain/segments/store.ts";
import { ApiError, invalidOperation, notFound } from "../errors.ts";
import { collectEvents } from "../storage/collect-events.ts";
import type { Database } from "../storage/database.ts";
import type { NewEvent } from "../storage/events.ts";
import { events } from "../storage/schema/events.ts";
import type { WriteTransaction } from "../storage/storage.ts";
import { planRestoration, type RestoringChange } from "./plan-restoration.ts";
import { type FlagState, type FlagSettings, undoEvents } from "./undo-events.ts";

interface MadeChange extends RestoringChange {
  readonly feature: string;
  readonly events: readonly NewEvent[];
}

interface Options {
  /** The state to restore is the one after this event. */
  readonly eventId: number;
  /** Restores the state before the event instead. @default false */
  readonly before?: boolean;
  /** Restores only what belongs to this environment. @default everything */
  readonly environment?: string | undefined;
  readonly performer: Performer;
}

/**
 * Restores the state that a flag had after or before an event: whether it is archived and on, its settings, strategies, variants and
 * dependency. Tags and the project stay as they are.
 *
 * @throws {ApiError} if there is no such event of the flag, or something that it used no longer exists
 */
export async function restoreFeature(
  transaction: WriteTransaction,
  address: FeatureAddress,
  { eventId, before = false, environment, performer }: Options,
): Promise<readonly MadeChange[]> {
  const { db } = transaction;
  if (environment !== undefined) await checkProjectEnvironment(db, address.project, environment);
  const current = toState(await readFeature(db, address, { includesArchived: true }));
  const target = undoEvents(
    current,
    await findUndoneEvents(db, address.feature, { eventId, before }),
  );
  const planned = planRestoration(current, target).filter(
    (change) => environment === undefined || change.environment === environment,
  );
  await checkSegments(db, planned);
  const made: MadeChange[] = [];
  for (const change of planned) {
    const { transaction: collecting, events: recorded } = collectEvents(transaction);
    // oxlint-disable-next-line no-await-in-loop -- a change may depend on the previous one
    await make(collecting, address, change, performer);
    made.push({ ...change, feature: address.feature, events: recorded });
    // oxlint-disable-next-line no-await-in-loop -- in order
    await transaction.record(...recorded);
  }
  if (made.some((change) => change.events.length > 0)) {
    await transaction.record({
      type: "feature-restored",
      ...address,
      after: { eventId, ...(before && { before }) },
    });
  }
  return made;
}

function toState(feature: Awaited<ReturnType<typeof readFeature>>): FlagState {
  const { archived, type, description, stale, impressionData, dependencies } = feature;
  const [parent] = dependencies;
  return {
    archived,
    settings: { type, description, stale, impressionData },
    parent:
      parent === undefined
        ? undefined
        : {
            feature: parent.feature,
            enabled: parent.enabled,
            ...(parent.variants.length > 0 && { variants: [...parent.variants] }),
          },
    environments: new Map(
      feature.environments.map(({ name, enabled, strategies, variants }) => [
        name,
        { enabled, variants, strategies: new Map(strategies.map((one) => [one.id, one])) },
      ]),
    ),
  };
}

async function findUndoneEvents(
  db: Database,
  feature: string,
  { eventId, before }: Required<Pick<Options, "before" | "eventId">>,
) {
  const found = await db
    .select()
    .from(events)
    .where(and(eq(events.featureName, feature), gte(events.id, eventId)))
    .orderBy(desc(events.id));
  const event = found.at(-1);
  if (event?.id !== eventId) {
    throw notFound(`The flag ${JSON.stringify(feature)} has no event ${eventId}`);
  }
  if (!before) return found.slice(0, -1);
  if (event.type === "feature-created") {
    throw invalidOperation(
      `The flag ${JSON.stringify(feature)} did not exist before it was created`,
    );
  }
  return found;
}

async function checkSegments(db: Database, changes: readonly RestoringChange[]): Promise<void> {
  const used = new Set(
    changes.flatMap(({ payload }) => {
      const { segments = [] } = (payload ?? {}) as { readonly segments?: readonly number[] };
      return segments;
    }),
  );
  const found = new Set((await listSegmentsById(db, [...used])).map(({ id }) => id));
  const missing = [...used].filter((id) => !found.has(id));
  if (missing.length === 0) return;
  throw new ApiError(
    "ConflictError",
    `Strategies at that time used segments that no longer exist, with these ids: ${missing.join(", ")}. Create the strategies again by hand`,
  );
}

async function make(
  transaction: WriteTransaction,
  { project, feature }: FeatureAddress,
  { environment, action, payload }: RestoringChange,
  performer: Performer,
): Promise<void> {
  if (action === "updateSettings") {
    await updateFeature(transaction, { project, feature }, payload as FlagSettings & Body);
    return;
  }
  const place = { project, environment: environment ?? "" };
  const change = { action, feature, payload, expected: undefined };
  await performChange(transaction, place, change, performer);
}

type Body = Parameters<typeof updateFeature>[2];
