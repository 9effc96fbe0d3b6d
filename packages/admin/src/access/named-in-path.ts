import { eq } from "drizzle-orm";
import {
  type ApiError,
  unknownContextField,
  unknownFeature,
  unknownProject,
  unknownSegment,
} from "../errors.ts";
import type { Database } from "../storage/database.ts";
import { features } from "../storage/schema/features.ts";
import { contextFields, projects } from "../storage/schema/projects.ts";
import { segments } from "../storage/schema/strategies.ts";

interface Kind {
  /** Finds the projects of what has a name: of at most one thing. Null stands for no project. */
  readonly find: (db: Database, name: string) => PromiseLike<readonly InProject[]>;
  /** Creates the error if nothing has the name. */
  readonly unknown: (name: string) => ApiError;
}

interface InProject {
  readonly project: string | null;
}

/** What the parameters of paths name, apart from what belongs to everybody. The first one in a path counts. */
const KINDS: Readonly<Record<string, Kind>> = {
  projectId: {
    find: (db, id) => db.select({ project: projects.id }).from(projects).where(eq(projects.id, id)),
    unknown: unknownProject,
  },
  feature: {
    find: (db, name) =>
      db.select({ project: features.project }).from(features).where(eq(features.name, name)),
    unknown: unknownFeature,
  },
  segmentId: {
    find: async (db, id) =>
      /^\d{1,9}$/.test(id)
        ? db
            .select({ project: segments.project })
            .from(segments)
            .where(eq(segments.id, Number(id)))
        : [],
    unknown: (id) => unknownSegment(Number(id)),
  },
  contextField: {
    find: (db, name) =>
      db
        .select({ project: contextFields.project })
        .from(contextFields)
        .where(eq(contextFields.name, name)),
    unknown: unknownContextField,
  },
};

/** What a path names. */
export interface Named {
  /** Null if it belongs to no project, undefined if it does not exist. */
  readonly project: string | null | undefined;
  /** The error if it does not exist. */
  readonly unknown: ApiError;
}

/** Finds out to which project the first name in a path belongs; undefined if there is none. */
export async function findNamed(
  db: Database,
  params: Readonly<Record<string, string>>,
): Promise<Named | undefined> {
  for (const [parameter, { find, unknown }] of Object.entries(KINDS)) {
    const { [parameter]: name } = params;
    if (name === undefined) continue;
    // oxlint-disable-next-line no-await-in-loop -- runs once
    const [found] = await find(db, name);
    return { project: found?.project, unknown: unknown(name) };
  }
  return undefined;
}
