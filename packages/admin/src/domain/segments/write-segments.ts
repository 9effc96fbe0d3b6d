import { count, eq } from "drizzle-orm";
import { readLegalValues } from "../context-fields/read-legal-values.ts";
import { ApiError, badData, exceedsLimit } from "../../errors.ts";
import { LIMITS } from "../../limits.ts";
import { findProject } from "../projects/find-projects.ts";
import { type Database, firstRow } from "../../storage/database.ts";
import { segments } from "../../storage/schema/segments.ts";
import { type StoredConstraint, strategySegments } from "../../storage/schema/strategies.ts";
import type { WriteTransaction } from "../../storage/storage.ts";
import { checkConstraints } from "../strategies/check-constraints.ts";
import {
  checkNameIsFree,
  getSegment,
  listStrategiesUsing,
  type Segment,
  toSegmentView,
} from "./find-segments.ts";
import type { SegmentInput } from "./schemas.ts";

export async function createSegment(
  { db, actor, record }: WriteTransaction,
  body: SegmentInput,
): Promise<Segment> {
  await checkNameIsFree(db, body.name);
  const { total } = firstRow(await db.select({ total: count() }).from(segments));
  if (total >= LIMITS.segments) throw exceedsLimit("segments", LIMITS.segments);
  const project = await chooseProject(db, body);
  const constraints = await check(db, body, []);
  const created = firstRow(
    await db
      .insert(segments)
      .values({
        name: body.name,
        description: body.description ?? null,
        project,
        constraints,
        createdBy: actor.name,
      })
      .returning(),
  );
  await record({ type: "segment-created", ...projectOf(created), after: toSegmentView(created) });
  return created;
}

/** Without a project in the body the segment becomes one for all projects. */
export async function updateSegment(
  { db, record }: WriteTransaction,
  id: number,
  body: SegmentInput,
): Promise<void> {
  const before = await getSegment(db, id);
  await checkNameIsFree(db, body.name, id);
  const project = await chooseProject(db, body);
  await refuseForeignUses(db, id, project);
  const after = firstRow(
    await db
      .update(segments)
      .set({
        name: body.name,
        description: body.description === undefined ? before.description : body.description,
        project,
        constraints: await check(db, body, before.constraints),
      })
      .where(eq(segments.id, id))
      .returning(),
  );
  await record({
    type: "segment-updated",
    ...projectOf(after),
    before: toSegmentView(before),
    after: toSegmentView(after),
  });
}

export async function deleteSegment({ db, record }: WriteTransaction, id: number): Promise<void> {
  const before = await getSegment(db, id);
  const [use] = await listStrategiesUsing(db, id);
  if (use !== undefined) {
    throw new ApiError(
      "ConflictError",
      `The segment is used by the feature ${JSON.stringify(use.featureName)}`,
    );
  }
  const archivedUses = await listStrategiesUsing(db, id, { archived: true });
  if (archivedUses.length > 0) {
    // NOTE: without the segment, a flag that is revived would be on for more people than before.
    throw new ApiError(
      "ConflictError",
      `The segment is used by the archived feature ${JSON.stringify(archivedUses[0]?.featureName)}`,
    );
  }
  await db.delete(strategySegments).where(eq(strategySegments.segment, id));
  await db.delete(segments).where(eq(segments.id, id));
  await record({ type: "segment-deleted", ...projectOf(before), before: toSegmentView(before) });
}

function projectOf({ project }: Segment): { readonly project?: string } {
  return project === null ? {} : { project };
}

async function chooseProject(db: Database, { project }: SegmentInput): Promise<string | null> {
  if (!project) return null;
  if ((await findProject(db, project)) === undefined) {
    throw badData("/body/project", "is not a project");
  }
  return project;
}

async function refuseForeignUses(db: Database, id: number, project: string | null): Promise<void> {
  if (project === null) return;
  const uses = await listStrategiesUsing(db, id, { archived: true });
  const foreign = uses.find(({ projectId }) => projectId !== project);
  if (foreign === undefined) return;
  throw badData(
    "/body/project",
    `cannot be that: the feature ${JSON.stringify(foreign.featureName)} of another project uses the segment`,
  );
}

async function check(
  db: Database,
  { constraints }: SegmentInput,
  previous: readonly StoredConstraint[],
): Promise<readonly StoredConstraint[]> {
  const valueCount = constraints.reduce((sum, { values = [] }) => sum + values.length, 0);
  if (valueCount > LIMITS.valuesPerSegment) {
    throw badData("/body/constraints", `must hold at most ${LIMITS.valuesPerSegment} values`);
  }
  const contextNames = constraints.map(({ contextName }) => contextName);
  return checkConstraints(constraints, {
    legalValuesOf: await readLegalValues(db, contextNames),
    path: "/body/constraints",
    previousCount: previous.length,
  });
}
