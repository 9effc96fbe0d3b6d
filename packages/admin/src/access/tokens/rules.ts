import { badData } from "../../errors.ts";
import type { ApiTokenType } from "../../storage/schema/api-tokens.ts";
import { EVERYTHING, type TokenScope } from "./api-token.ts";
import type { CreateToken } from "./schemas.ts";

const DEFAULT_ENVIRONMENT = "development";

const TYPES: ReadonlyMap<string, ApiTokenType> = new Map([
  ["admin", "admin"],
  ["backend", "backend"],
  ["client", "backend"],
  ["frontend", "frontend"],
]);

/**
 * What a token to be made will open. That it exists is for the database to say.
 *
 * @throws {ApiError} when the parts do not fit together
 */
export function readTokenScope(body: CreateToken): TokenScope {
  const type = TYPES.get(body.type.toLowerCase());
  if (type === undefined) throw badData("/body/type", "must be backend, frontend or admin");
  return type === "admin" ? adminScope(body) : sdkScope(type, body);
}

function adminScope({ environment, project, projects }: CreateToken): TokenScope {
  const rule = "must be `*` or left out: admin tokens are for everything";
  if ((environment ?? EVERYTHING) !== EVERYTHING) throw badData("/body/environment", rule);
  if ((project ?? EVERYTHING) !== EVERYTHING) throw badData("/body/project", rule);
  if (projects?.some((id) => id !== EVERYTHING)) throw badData("/body/projects", rule);
  return { type: "admin", environment: EVERYTHING, projects: [EVERYTHING] };
}

function sdkScope(type: ApiTokenType, body: CreateToken): TokenScope {
  const { environment = DEFAULT_ENVIRONMENT } = body;
  if (environment === EVERYTHING) {
    throw badData("/body/environment", "must name one environment, not `*`");
  }
  return { type, environment, projects: readProjects(body) };
}

/** NOTE: whoever names one project in any way gets a token for that one, never one for all. */
function readProjects({ project, projects }: CreateToken): readonly string[] {
  if (project === undefined) return normalizeProjects(projects ?? [EVERYTHING]);
  if (projects !== undefined && !isOnly(projects, project)) {
    throw badData("/body/project", "says something else than `projects`: leave one of them out");
  }
  return normalizeProjects([project]);
}

function isOnly(projects: readonly string[], project: string): boolean {
  return projects.every((id) => id === project);
}

function normalizeProjects(projects: readonly string[]): readonly string[] {
  return projects.includes(EVERYTHING) ? [EVERYTHING] : [...new Set(projects)];
}

/**
 * @throws {ApiError} when the token could never be used
 */
export function checkExpiry(expiresAt: Date | null, now: Date): void {
  if (expiresAt !== null && expiresAt <= now) {
    throw badData("/body/expiresAt", "must be in the future");
  }
}

/** The moment that a text or null stands for. */
export function readExpiry(expiresAt: string | null | undefined): Date | null {
  if (expiresAt === null || expiresAt === undefined) return null;
  const date = new Date(expiresAt);
  // A moment can have the right form and not exist, or be one that databases do not know.
  if (!(date.getTime() >= 0)) throw badData("/body/expiresAt", "must be a moment after 1970");
  return date;
}
