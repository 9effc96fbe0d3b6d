import { and, eq } from "drizzle-orm";
import { invalidOperation } from "../errors.ts";
import {
  findFeature,
  getActiveFeature,
  getFeature,
  type FeatureAddress,
} from "../features/find-features.ts";
import type { Database } from "../storage/database.ts";
import { dependencies } from "../storage/schema/features.ts";
import type { WriteTransaction } from "../storage/storage.ts";
import type { DependencyInput } from "./schemas.ts";

/** Makes a flag depend on another one, instead of the one it depended on before. */
export async function setParent(
  { db, record }: WriteTransaction,
  address: FeatureAddress,
  { feature: parent, enabled = true, variants = [] }: DependencyInput,
): Promise<void> {
  const { name: child, project } = await getActiveFeature(db, address);
  await checkParent(db, { child, parent, project });
  const before = await findDependency(db, child);
  const chosen = { parent, enabled, variants: enabled ? variants : [] };
  await db
    .insert(dependencies)
    .values({ child, ...chosen })
    .onConflictDoUpdate({ target: dependencies.child, set: chosen });
  await record({
    type: "feature-dependency-added",
    project,
    feature: child,
    ...(before !== undefined && { before: toView(before) }),
    after: toView({ child, ...chosen }),
  });
}

interface Relation {
  readonly child: string;
  readonly parent: string;
  readonly project: string;
}

/** Flags depend on each other over one level only, within one project. */
async function checkParent(db: Database, { child, parent, project }: Relation): Promise<void> {
  const name = JSON.stringify(parent);
  if (parent === child) throw invalidOperation("A feature cannot depend on itself");
  const found = await findFeature(db, parent);
  if (found === undefined || found.archivedAt !== null || found.project !== project) {
    throw invalidOperation(`There is no active feature ${name} in the project to depend on`);
  }
  if ((await findDependency(db, parent)) !== undefined) {
    throw invalidOperation(`The feature ${name} depends on another one itself`);
  }
  const [own] = await db.select().from(dependencies).where(eq(dependencies.parent, child)).limit(1);
  if (own !== undefined) {
    throw invalidOperation(`The feature ${JSON.stringify(own.child)} depends on this one`);
  }
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
    before: toView(removed),
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
    before: removed.map(toView),
    after: [],
  });
}

type Dependency = typeof dependencies.$inferSelect;

async function findDependency(db: Database, child: string): Promise<Dependency | undefined> {
  const [found] = await db.select().from(dependencies).where(eq(dependencies.child, child));
  return found;
}

function toView({ parent, enabled, variants }: Dependency) {
  return { feature: parent, enabled, ...(variants.length > 0 && { variants }) };
}
