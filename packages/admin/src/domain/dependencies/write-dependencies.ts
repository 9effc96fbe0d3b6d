import { and, eq } from "drizzle-orm";
import {
  findFeature,
  getActiveFeature,
  getFeature,
  type FeatureAddress,
} from "../features/find-features.ts";
import type { Database } from "../../storage/database.ts";
import { dependencies } from "../../storage/schema/features.ts";
import type { WriteTransaction } from "../../storage/storage.ts";
import { checkParent, type Relation } from "./check-parent.ts";
import { toDependency, toDependencyView, type Dependency } from "./dependency.ts";
import type { DependencyInput } from "./schemas.ts";

/** Makes a flag depend on another one, instead of the one it depended on before. */
export async function setParent(
  { db, record }: WriteTransaction,
  address: FeatureAddress,
  input: DependencyInput,
): Promise<void> {
  const { name: child, project } = await getActiveFeature(db, address);
  const chosen = toDependency(child, input);
  checkParent(await readRelation(db, project, chosen));
  const before = await findDependency(db, child);
  await db
    .insert(dependencies)
    .values(chosen)
    .onConflictDoUpdate({ target: dependencies.child, set: chosen });
  await record({
    type: "feature-dependency-added",
    project,
    feature: child,
    ...(before !== undefined && { before: toDependencyView(before) }),
    after: toDependencyView(chosen),
  });
}

async function readRelation(
  db: Database,
  project: string,
  { child, parent }: Dependency,
): Promise<Relation> {
  const found = await findFeature(db, parent);
  const [own] = await db.select().from(dependencies).where(eq(dependencies.parent, child)).limit(1);
  return {
    child,
    parent,
    isParentActive: found?.archivedAt === null && found.project === project,
    hasParentParent: (await findDependency(db, parent)) !== undefined,
    grandchild: own?.child,
  };
}

/** Frees a flag from one parent. */
export async function removeParent(
  { db, record }: WriteTransaction,
  address: FeatureAddress,
  parent: string,
): Promise<void> {
  const { name: child, project } = await getFeature(db, address);
  const [removed] = await db
    .delete(dependencies)
    .where(and(eq(dependencies.child, child), eq(dependencies.parent, parent)))
    .returning();
  if (removed === undefined) return;
  await record({
    type: "feature-dependency-removed",
    project,
    feature: child,
    before: toDependencyView(removed),
  });
}

/** Frees a flag from all of its parents. */
export async function removeParents(
  { db, record }: WriteTransaction,
  address: FeatureAddress,
): Promise<void> {
  const { name: child, project } = await getFeature(db, address);
  const removed = await db.delete(dependencies).where(eq(dependencies.child, child)).returning();
  if (removed.length === 0) return;
  await record({
    type: "feature-dependencies-removed",
    project,
    feature: child,
    before: removed.map(toDependencyView),
    after: [],
  });
}

async function findDependency(db: Database, child: string): Promise<Dependency | undefined> {
  const [found] = await db.select().from(dependencies).where(eq(dependencies.child, child));
  return found;
}
