import type { apiTokens, ApiTokenType } from "../../storage/schema/api-tokens.ts";

/** A token as it is stored. Its text is not known: only whoever made it has that. */
export type ApiToken = typeof apiTokens.$inferSelect;

/** All projects, those to come included; for admin tokens also all environments. */
export const EVERYTHING = "*";

/** What a token opens. */
export interface TokenScope {
  readonly type: ApiTokenType;
  readonly environment: string;
  /** Ids of projects, or `*` alone for all of them. */
  readonly projects: readonly string[];
}

/** How a token is shown to those who may know of it: without anything that opens a door. */
export interface TokenView {
  readonly id: string;
  readonly tokenName: string;
  readonly type: string;
  readonly environment: string;
  /** The projects in one text, as older clients expect it. */
  readonly project: string;
  readonly projects: readonly string[];
  readonly expiresAt: string | null;
  readonly createdAt: string;
  readonly seenAt: string | null;
}

/** Clients of the wire protocol know backend tokens by their older name. */
const TYPE_ON_THE_WIRE: Readonly<Record<ApiTokenType, string>> = {
  admin: "admin",
  backend: "client",
  frontend: "frontend",
};

export function typeOnTheWire(type: ApiTokenType): string {
  return TYPE_ON_THE_WIRE[type];
}

export function toTokenView(token: ApiToken): TokenView {
  return {
    id: token.id,
    tokenName: token.name,
    type: typeOnTheWire(token.type),
    environment: token.environment,
    project: token.projects.join(","),
    projects: token.projects,
    expiresAt: token.expiresAt?.toISOString() ?? null,
    createdAt: token.createdAt.toISOString(),
    seenAt: token.seenAt?.toISOString() ?? null,
  };
}

/** Whether a token is past its time. */
export function isExpired({ expiresAt }: Pick<ApiToken, "expiresAt">, now: Date): boolean {
  return expiresAt !== null && expiresAt <= now;
}

/** Whether a token opens a project. */
export function opensProject({ projects }: Pick<TokenScope, "projects">, project: string): boolean {
  return projects.includes(EVERYTHING) || projects.includes(project);
}
