import { createHash, randomBytes } from "node:crypto";
import type { apiTokens, ApiTokenType } from "../storage/schema/access.ts";

/** A stored token. Its text is not stored; only the client to which it was issued has it. */
export type ApiToken = typeof apiTokens.$inferSelect;

/** Stands for all projects, including future ones, and in tokens for the admin API also for all environments. */
export const WILDCARD = "*";

/** The access that a token grants. */
export interface TokenScope {
  readonly type: ApiTokenType;
  readonly environment: string;
  /** Project ids, or only `*` for all projects. */
  readonly projects: readonly string[];
}

/** Whether a token grants access to a project. */
export function grantsProject(
  { projects }: Pick<TokenScope, "projects">,
  project: string,
): boolean {
  return projects.includes(WILDCARD) || projects.includes(project);
}

/** Whether a token has expired. */
export function isExpired({ expiresAt }: Pick<ApiToken, "expiresAt">, now: Date): boolean {
  return expiresAt !== null && expiresAt <= now;
}

/** Hashes a token for storage. A plain hash is sufficient, because tokens are long and random. */
export function hashToken(secret: string): string {
  return createHash("sha256").update(secret).digest("hex");
}

const SECRET_BYTES = 28;

/** Replaces the project in the text of a token for several projects. */
export const SEVERAL_PROJECTS = "[]";

/** Creates the text of a new token: its readable scope and a random secret. */
export function createTokenText({ environment, projects }: TokenScope): string {
  const [first = SEVERAL_PROJECTS, ...others] = projects;
  const project = others.length === 0 ? first : SEVERAL_PROJECTS;
  return `${project}:${environment}.${randomBytes(SECRET_BYTES).toString("hex")}`;
}

/** The scope in the text of a token. */
export interface TokenText {
  /** Project id, `*` for all projects, or `[]` for several. */
  readonly project: string;
  /** Name of an environment, or `*` for all environments. */
  readonly environment: string;
}

const TOKEN_TEXT = /^([^:\s]+):([^.:\s]+)\.(\S+)$/;

/** Parses `project:environment.secret`; undefined for any other format. */
export function parseTokenText(text: string): TokenText | undefined {
  const [, project, environment] = TOKEN_TEXT.exec(text) ?? [];
  if (project === undefined || environment === undefined) return undefined;
  return { project, environment };
}

/** What a token is, without its text or hash. */
export interface TokenView {
  readonly id: string;
  readonly tokenName: string;
  readonly type: string;
  readonly environment: string;
  /** All projects joined by commas, for older clients. */
  readonly project: string;
  readonly projects: readonly string[];
  readonly expiresAt: string | null;
  readonly createdAt: string;
  readonly seenAt: string | null;
}

// The wire protocol uses the older name of backend tokens.
const WIRE_TYPES: Readonly<Record<ApiTokenType, string>> = {
  admin: "admin",
  editor: "editor",
  viewer: "viewer",
  backend: "client",
  frontend: "frontend",
};

export function toWireType(type: ApiTokenType): string {
  return WIRE_TYPES[type];
}

/** A token in a response. As for servers that store hashes of tokens, `secret` is its public id. */
export interface ListedToken extends TokenView {
  readonly secret: string;
  readonly secure: true;
  readonly alias: null;
}

export function toListedToken(token: ApiToken): ListedToken {
  return { ...toTokenView(token), secret: token.id, secure: true, alias: null };
}

/** A token in the response to its creation, the only one that contains its text. */
export function toCreatedToken(token: ApiToken, secret: string, sentType: string): ListedToken {
  return { ...toListedToken(token), secret, type: sentType.toLowerCase() };
}

/** A token in events. */
export function toTokenView(token: ApiToken): TokenView {
  return {
    id: token.id,
    tokenName: token.name,
    type: toWireType(token.type),
    environment: token.environment,
    project: token.projects.join(","),
    projects: token.projects,
    expiresAt: token.expiresAt?.toISOString() ?? null,
    createdAt: token.createdAt.toISOString(),
    seenAt: token.seenAt?.toISOString() ?? null,
  };
}
