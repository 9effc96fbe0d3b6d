import { and, eq, isNull, ne, notInArray } from "drizzle-orm";
import { type FeatureAddress, getFeature } from "../features/find-features.ts";
import { type Database, orderByText } from "../../storage/database.ts";
import { dependencies, features } from "../../storage/schema/features.ts";
import { strategies } from "../../storage/schema/strategies.ts";

/** Names of the flags that a flag may depend on. */
export async function listPossibleParents(
  db: Database,
  address: FeatureAddress,
): Promise<string[]> {
  const { name, project } = await getFeature(db, address);
  const children = db.select({ child: dependencies.child }).from(dependencies);
  const rows = await db
    .select({ name: features.name })
    .from(features)
    .where(
      and(
        eq(features.project, project),
        isNull(features.archivedAt),
        ne(features.name, name),
        notInArray(features.name, children),
      ),
    )
    .orderBy(orderByText(features.name));
  return rows.map((row) => row.name);
}

/** Names of the variants that a flag may have, in any environment. */
export async function listVariantNames(db: Database, address: FeatureAddress): Promise<string[]> {
  const { name } = await getFeature(db, address);
  const rows = await db
    .select({ variants: strategies.variants })
    .from(strategies)
    .where(eq(strategies.feature, name));
  const names = rows.flatMap(({ variants }) => variants.map((variant) => variant.name));
  return [...new Set(names)].toSorted();
}

export async function hasAnyDependency(db: Database): Promise<boolean> {
  const [found] = await db.select().from(dependencies).limit(1);
  return found !== undefined;
}
