import { inArray, isNull, ne, notInArray, or, type SQL } from "drizzle-orm";
import type { PgColumn } from "drizzle-orm/pg-core";
import { ApiError } from "../errors.ts";
import type { Database } from "../storage/database.ts";
import { projectMembers } from "../storage/schema/accounts.ts";
import { type ProjectMode, projects } from "../storage/schema/projects.ts";
import { includesLevel, type Level, LEVELS, type Role } from "./role.ts";

type Modes = ReadonlyMap<string, ProjectMode>;
type Levels = ReadonlyMap<string, Level>;

/** What somebody may do in each project. Depends on their role in the service, and on their roles in projects. */
export class ProjectAccess {
  readonly #role: Role;
  /** The modes of the projects that are not open. */
  readonly #modes: Modes;
  readonly #memberships: Levels;
  /** The private projects that do not exist for them. */
  readonly hidden: readonly string[];

  private constructor(role: Role, modes: Modes, memberships: Levels) {
    this.#role = role;
    this.#modes = modes;
    this.#memberships = memberships;
    this.hidden = [...modes.keys()].filter((project) => !this.sees(project));
  }

  /** The access of admins, and of API tokens, which apply to all projects. */
  static everywhere(role: Role): ProjectAccess {
    return new ProjectAccess(role, new Map(), new Map());
  }

  static of(role: Role, modes: Modes, memberships: Levels): ProjectAccess {
    return role === "admin"
      ? ProjectAccess.everywhere(role)
      : new ProjectAccess(role, modes, memberships);
  }

  /** Returns what they may do in a project, which need not exist; undefined if it does not exist for them. */
  levelIn(project: string): Level | undefined {
    const own = this.#memberships.get(project);
    const mode = this.#modes.get(project) ?? "open";
    if (mode === "private") return own;
    const general = mode === "open" ? this.#role : "viewer";
    return own !== undefined && includesLevel(own, general) ? own : general;
  }

  /** Whether they may change what several projects share, such as tag types. */
  get changesShared(): boolean {
    return includesLevel(this.#role, "editor");
  }

  /** Whether they may do the same in all projects. */
  get isUniform(): boolean {
    return this.#modes.size === 0 && this.#memberships.size === 0;
  }

  /** The most that they may do anywhere. */
  get highest(): Level {
    const levels = new Set<Level>([this.#role, ...this.#memberships.values()]);
    return LEVELS.findLast((level) => levels.has(level)) ?? this.#role;
  }

  /** A condition that excludes rows of hidden projects. @param column the id of the project of a row, or null */
  isVisible(column: PgColumn): SQL | undefined {
    if (this.hidden.length === 0) return undefined;
    return or(isNull(column), notInArray(column, [...this.hidden]));
  }

  /** Whether a project exists for them. What belongs to no project (null) does. */
  sees(project: string | null): boolean {
    return project === null || this.levelIn(project) !== undefined;
  }
}

interface Member {
  /** Id of the account. */
  readonly id: number;
  readonly role: Role;
}

const LEVEL_OF_ROLE = { member: "editor", owner: "owner" } as const;

/** Reads what people may do in projects, by the ids of their accounts. */
export async function readProjectAccess(
  db: Database,
  members: readonly Member[],
): Promise<ReadonlyMap<number, ProjectAccess>> {
  const limited = members.filter(({ role }) => role !== "admin").map(({ id }) => id);
  const modes = new Map<string, ProjectMode>();
  const memberships = new Map<number, Map<string, Level>>();
  if (limited.length > 0) {
    const rows = await db
      .select()
      .from(projectMembers)
      .where(inArray(projectMembers.userId, limited));
    for (const { userId, project, role } of rows) {
      const own = memberships.get(userId) ?? new Map<string, Level>();
      if (own.get(project) !== "owner") own.set(project, LEVEL_OF_ROLE[role]);
      memberships.set(userId, own);
    }
    // NOTE: after the memberships, so that somebody who is added to a project that becomes private keeps seeing it.
    const restricted = await db
      .select({ id: projects.id, mode: projects.mode })
      .from(projects)
      .where(ne(projects.mode, "open"));
    for (const { id, mode } of restricted) modes.set(id, mode);
  }
  return new Map(
    members.map(({ id, role }) => [
      id,
      ProjectAccess.of(role, modes, memberships.get(id) ?? new Map()),
    ]),
  );
}

/** Returns what a person may do, of those whose access has been read. */
export function accessOf(
  access: ReadonlyMap<number, ProjectAccess>,
  { id }: Pick<Member, "id">,
): ProjectAccess {
  const found = access.get(id);
  if (found === undefined) throw new TypeError("The access of this account has not been read");
  return found;
}

/**
 * Checks that somebody can change the flags of projects.
 *
 * @param use what requires it, such as "The tag is on flags"
 * @throws {ApiError} 403 if not
 */
export function requireChangeable(
  access: ProjectAccess,
  projectIds: readonly string[],
  use: string,
): void {
  const canChange = (id: string) => includesLevel(access.levelIn(id) ?? "viewer", "editor");
  if (projectIds.every(canChange)) return;
  throw new ApiError(
    "PermissionError",
    `${use}, some of which you may not change: contact an admin`,
  );
}
