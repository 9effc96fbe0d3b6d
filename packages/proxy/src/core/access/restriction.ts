import type { FeatureDefinitions } from "flags-sdk";
import { isRecord } from "flags-server-kit/neutral";

export interface Restriction {
  /** Names of projects; undefined for all. */
  readonly projects: readonly string[] | undefined;
  /** What the names of flags begin with; empty for all. */
  readonly namePrefix: string;
}

/** Equal for restrictions with equal results. */
export function idOfRestriction({ projects, namePrefix }: Restriction): string {
  return JSON.stringify([namePrefix, projects && [...new Set(projects)].toSorted()]);
}

export function isUnrestricted({ projects, namePrefix }: Restriction): boolean {
  return projects === undefined && namePrefix === "";
}

interface Selectable {
  readonly name?: unknown;
  readonly project?: unknown;
}

/** Returns whether a flag is allowed. One without a project belongs to none of the named ones. */
export function createFilter({ projects, namePrefix }: Restriction): (flag: Selectable) => boolean {
  // NOTE: a client can name any number of projects.
  const allowed = projects && new Set(projects);
  return ({ name, project }) => {
    if (typeof name !== "string" || !name.startsWith(namePrefix)) return false;
    return allowed === undefined || (typeof project === "string" && allowed.has(project));
  };
}

/** Also removes segments that none of the remaining flags refers to, because they can contain lists of users. */
export function restrictDefinitions(
  { version, features, segments }: FeatureDefinitions,
  restriction: Restriction,
): FeatureDefinitions {
  const isIncluded = createFilter(restriction);
  const allowed = features.filter((feature) => isRecord(feature) && isIncluded(feature));
  const ids = new Set(allowed.flatMap(segmentIdsOf));
  return {
    version,
    features: allowed,
    segments: segments.filter((segment) => isRecord(segment) && ids.has(segment["id"])),
  };
}

function segmentIdsOf(feature: unknown): readonly unknown[] {
  return listIn(feature, "strategies").flatMap((strategy) => listIn(strategy, "segments"));
}

function listIn(value: unknown, name: string): readonly unknown[] {
  const list: unknown = isRecord(value) ? value[name] : undefined;
  return Array.isArray(list) ? list : [];
}
