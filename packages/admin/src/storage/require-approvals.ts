import { and, eq, isNull } from "drizzle-orm";
import { ApiError } from "../errors.ts";
import { type Database, isEqualJson, isOneOf } from "./database.ts";
import { EFFECTS } from "./event-effects.ts";
import type { NewEvent } from "./events.ts";
import { features } from "./schema/features.ts";
import { strategies, strategySegments } from "./schema/strategies.ts";
import { findStricter, type Place, type ProtectedPlace } from "./protected-places.ts";

interface Approvals {
  /** Where changes required approvals when this one began. */
  readonly places: readonly ProtectedPlace[];
  /** How many people have approved it. */
  readonly given: number;
}

/**
 * Finds a place that a change affects, and that requires more approvals than it has. What it changes is derived from its
 * events, so that no route can forget the check.
 */
export async function findMissingApprovals(
  db: Database,
  events: readonly NewEvent[],
  { places, given }: Approvals,
): Promise<ProtectedPlace | undefined> {
  if (places.every(({ approvals }) => approvals <= given)) return undefined;
  return findStricter(places, await findAffected(db, events), given);
}

/** The 403 for a change that nobody, or not enough people have approved. */
export class ApprovalsMissingError extends ApiError {
  readonly place: ProtectedPlace;
  /** For example "1 approval". */
  readonly count: string;

  /** @param advice what to do instead @default to create a change request through the API */
  constructor(place: ProtectedPlace, advice?: string) {
    const { project, environment, approvals } = place;
    const count = approvals === 1 ? "1 approval" : `${approvals} approvals`;
    super(
      "PermissionError",
      `Changes in the environment ${JSON.stringify(environment)} of the project ${JSON.stringify(project)} require ${count}: ${advice ?? `request this one with POST /api/admin/projects/${project}/environments/${environment}/change-requests`}`,
    );
    this.place = place;
    this.count = count;
  }
}

/** Finds the environments of projects in which events can have changed for whom flags are on, or with which variants. */
export async function findAffected(
  db: Database,
  events: readonly NewEvent[],
): Promise<readonly Place[]> {
  const created = new Set<string>(
    events.flatMap(({ type, feature }) => (type === "feature-created" ? (feature ?? []) : [])),
  );
  const places: Place[] = [];
  /** The projects in which flags have been, by name. */
  const everywhere = new Map<string, readonly (string | undefined)[]>();
  const changedSegments = new Set<number>();
  for (const event of events) {
    const effect = EFFECTS[event.type];
    if (effect === "flag" && !isPreparation(event, created)) {
      const { project, environment, feature } = event;
      if (project !== undefined && environment !== undefined) places.push({ project, environment });
      else if (feature !== undefined) everywhere.set(feature, [project, leftProject(event)]);
    } else if (effect === "flags of project") {
      places.push(...leftPlaces(event));
    } else if (effect === "segment") {
      const segment = changedSegment(event);
      if (segment !== undefined) changedSegments.add(segment);
    }
  }
  return [
    ...places,
    ...(await findPlacesOfFlags(db, everywhere)),
    ...(await findPlacesOfSegments(db, changedSegments)),
  ];
}

/** A new flag is off, so that nothing else than turning it on has an effect. */
function isPreparation({ type, feature }: NewEvent, created: ReadonlySet<string>): boolean {
  return type !== "feature-environment-enabled" && created.has(feature ?? "");
}

/** An environment that joins a project has flags that are off; one that leaves it takes their strategies along. */
function leftPlaces({ project, environment, before }: NewEvent): readonly Place[] {
  if (project === undefined || environment === undefined) return [];
  return Array.isArray(before) && before.includes(environment) ? [{ project, environment }] : [];
}

/** Returns the id of the segment whose constraints an event changes. */
function changedSegment({ before, after }: NewEvent): number | undefined {
  const { id, constraints } = (before ?? {}) as SegmentState;
  return isEqualJson(constraints, (after as SegmentState | undefined)?.constraints)
    ? undefined
    : id;
}

interface SegmentState {
  readonly id?: number;
  readonly constraints?: unknown;
}

/** Returns the project that a flag has left. */
function leftProject({ type, after }: NewEvent): string | undefined {
  if (type !== "feature-project-change") return undefined;
  return (after as { readonly oldProject?: string } | undefined)?.oldProject;
}

/** Finds where flags, archived or not, have strategies. */
async function findPlacesOfFlags(
  db: Database,
  projectsOf: ReadonlyMap<string, readonly (string | undefined)[]>,
): Promise<readonly Place[]> {
  if (projectsOf.size === 0) return [];
  const rows = await db
    .selectDistinct({ feature: strategies.feature, environment: strategies.environment })
    .from(strategies)
    .where(isOneOf(strategies.feature, [...projectsOf.keys()]));
  return rows.flatMap(({ feature, environment }) =>
    (projectsOf.get(feature) ?? []).flatMap((project) =>
      project === undefined ? [] : { project, environment },
    ),
  );
}

function findPlacesOfSegments(
  db: Database,
  ids: ReadonlySet<number>,
): PromiseLike<readonly Place[]> | readonly Place[] {
  if (ids.size === 0) return [];
  return db
    .selectDistinct({ project: features.project, environment: strategies.environment })
    .from(strategySegments)
    .innerJoin(strategies, eq(strategies.id, strategySegments.strategy))
    .innerJoin(features, eq(features.name, strategies.feature))
    .where(and(isOneOf(strategySegments.segment, [...ids]), isNull(features.archivedAt)));
}
