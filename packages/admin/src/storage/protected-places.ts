import { eq, gt, sql } from "drizzle-orm";
import type { Database } from "./database.ts";
import { environments, projectEnvironments } from "./schema/projects.ts";

/** An environment of a project. */
export interface Place {
  readonly project: string;
  readonly environment: string;
}

/** An environment of a project in which changes require approvals. */
export interface ProtectedPlace extends Place {
  /** From 1 to 10. */
  readonly approvals: number;
}

/** The number of approvals that a change requires: what the environment requires in all projects, or more. */
const REQUIRED = sql<number>`greatest(
  case when ${environments.protection} = 'approvals' then coalesce(${environments.requiredApprovals}, 1) else 0 end,
  coalesce(${projectEnvironments.requiredApprovals}, 0)
)`.mapWith(Number);

/** Reads where changes require approvals. */
export function readProtectedPlaces(db: Database): Promise<ProtectedPlace[]> {
  return db
    .select({
      project: projectEnvironments.project,
      environment: projectEnvironments.environment,
      approvals: REQUIRED,
    })
    .from(projectEnvironments)
    .innerJoin(environments, eq(environments.name, projectEnvironments.environment))
    .where(gt(REQUIRED, 0));
}

/** Returns how many approvals a change requires that affects all of these places. */
export function countApprovals(
  places: readonly ProtectedPlace[],
  affected: readonly Place[],
): number {
  return Math.max(0, ...affected.map((place) => approvalsIn(places, place)));
}

/** Finds one of the affected places that requires more approvals than are given. */
export function findStricter(
  places: readonly ProtectedPlace[],
  affected: readonly Place[],
  given: number,
): ProtectedPlace | undefined {
  return places.find(
    ({ project, environment, approvals }) =>
      approvals > given &&
      affected.some((each) => each.project === project && each.environment === environment),
  );
}

export function approvalsIn(
  places: readonly ProtectedPlace[],
  { project, environment }: Place,
): number {
  const found = places.find(
    (place) => place.project === project && place.environment === environment,
  );
  return found?.approvals ?? 0;
}

/** Reads how many approvals a change in one place requires. */
export async function readApprovalsIn(db: Database, place: Place): Promise<number> {
  return approvalsIn(await readProtectedPlaces(db), place);
}
