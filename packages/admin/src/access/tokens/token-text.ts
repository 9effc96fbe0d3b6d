import { randomBytes } from "node:crypto";
import { EVERYTHING, type TokenScope } from "./api-token.ts";

const SECRET_BYTES = 28;

/** Stands in the text of a token for several projects, which only the stored token knows. */
export const SEVERAL_PROJECTS = "[]";

/** Makes the text of a new token: what it is for, readable, and a secret that cannot be guessed. */
export function createTokenText({ environment, projects }: TokenScope): string {
  const [first = SEVERAL_PROJECTS, ...others] = projects;
  const project = others.length === 0 ? first : SEVERAL_PROJECTS;
  return `${project}:${environment}.${randomBytes(SECRET_BYTES).toString("hex")}`;
}

/** What the text of a token says of itself. */
export interface TokenText {
  /** Id of a project, `*` for all, or `[]` for several. */
  readonly project: string;
  /** Name of an environment, or `*` for all. */
  readonly environment: string;
}

const TOKEN_TEXT = /^([^:\s]+):([^.:\s]+)\.(\S+)$/;

/** Reads `project:environment.secret`; undefined for any other form. */
export function parseTokenText(text: string): TokenText | undefined {
  const [, project, environment] = TOKEN_TEXT.exec(text) ?? [];
  if (project === undefined || environment === undefined) return undefined;
  return { project, environment };
}

/** Whether a text is of the form of admin tokens. */
export function isForEverything({ project, environment }: TokenText): boolean {
  return project === EVERYTHING && environment === EVERYTHING;
}
