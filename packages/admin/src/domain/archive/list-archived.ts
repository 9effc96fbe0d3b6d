import { and, eq, isNotNull } from "drizzle-orm";
import { type FeatureView, toFeatureView } from "../features/feature-view.ts";
import { type Database, orderByText } from "../../storage/database.ts";
import { features } from "../../storage/schema/features.ts";

/** Archived flags of one project, or of all. */
export async function listArchived(db: Database, project?: string): Promise<FeatureView[]> {
  const inProject = project === undefined ? undefined : eq(features.project, project);
  const rows = await db
    .select()
    .from(features)
    .where(and(isNotNull(features.archivedAt), inProject))
    .orderBy(orderByText(features.name));
  return rows.map(toFeatureView);
}
