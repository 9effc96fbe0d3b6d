import { badData } from "../errors.ts";
import type { ApiTokenType } from "../storage/schema/access.ts";
import { roleOfType } from "./role.ts";
import { type TokenScope, WILDCARD } from "./token.ts";
import type { CreateToken } from "./token-schemas.ts";

const DEFAULT_ENVIRONMENT = "development";

const TYPES: ReadonlyMap<string, ApiTokenType> = new Map([
  ["admin", "admin"],
  ["editor", "editor"],
  ["viewer", "viewer"],
  ["backend", "backend"],
  ["client", "backend"],
  ["frontend", "frontend"],
]);

/**
 * Reads the scope of a new token. Does not check that its environment and projects exist.
 *
 * @throws {ApiError} if properties of the body contradict each other
 */
export function readTokenScope(body: CreateToken): TokenScope {
  const type = TYPES.get(body.type.toLowerCase());
  if (type === undefined) {
    throw badData("/body/type", "must be backend, frontend, admin, editor or viewer");
  }
  return roleOfType(type) === undefined ? sdkScope(type, body) : adminApiScope(type, body);
}

function adminApiScope(
  type: ApiTokenType,
  { environment, project, projects }: CreateToken,
): TokenScope {
  const rule = `must be \`*\` or omitted: ${type} tokens apply to all projects and environments`;
  if ((environment ?? WILDCARD) !== WILDCARD) throw badData("/body/environment", rule);
  if ((project ?? WILDCARD) !== WILDCARD) throw badData("/body/project", rule);
  if (projects?.some((id) => id !== WILDCARD)) throw badData("/body/projects", rule);
  return { type, environment: WILDCARD, projects: [WILDCARD] };
}

function sdkScope(type: ApiTokenType, body: CreateToken): TokenScope {
  const { environment = DEFAULT_ENVIRONMENT } = body;
  if (environment === WILDCARD) {
    throw badData("/body/environment", "must name one environment, not `*`");
  }
  return { type, environment, projects: readProjects(body) };
}

/** NOTE: a body that names one project in either property never yields a token for all projects. */
function readProjects({ project, projects }: CreateToken): readonly string[] {
  if (project === undefined) return normalizeProjects(projects ?? [WILDCARD]);
  if (projects !== undefined && !isOnly(projects, project)) {
    throw badData("/body/project", "contradicts `projects`: omit one of them");
  }
  return normalizeProjects([project]);
}

function isOnly(projects: readonly string[], project: string): boolean {
  return projects.every((id) => id === project);
}

function normalizeProjects(projects: readonly string[]): readonly string[] {
  return projects.includes(WILDCARD) ? [WILDCARD] : [...new Set(projects)];
}

/**
 * Parses the expiry in a body; null if the token never expires.
 *
 * @throws {ApiError} if it is not a date, or before 1970
 */
export function readExpiry(expiresAt: string | null | undefined): Date | null {
  if (expiresAt === null || expiresAt === undefined) return null;
  const date = new Date(expiresAt);
  // A date can match the format without existing, or be outside the range of the database.
  if (!(date.getTime() >= 0))
    throw badData("/body/expiresAt", "must be an existing date in 1970 or later");
  return date;
}
