import { MIN_LOOPBACK_SECRET_LENGTH, MIN_SECRET_LENGTH, secretPartOf } from "flags-server-kit";
import type { ApiTokenType } from "../storage/schema/access.ts";
import {
  parseTokenText,
  SEVERAL_PROJECTS,
  type TokenScope,
  type TokenText,
  WILDCARD,
} from "./token.ts";

/** The types of tokens that the configuration can contain. Admins create the others. */
export type ConfiguredTokenType = Exclude<ApiTokenType, "editor" | "viewer">;

/** The tokens in the configuration, by type. */
type ConfiguredTokenLists = Readonly<Record<ConfiguredTokenType, readonly string[]>>;

/** A token from the configuration. */
export interface ConfiguredToken extends TokenScope {
  readonly type: ConfiguredTokenType;
  readonly secret: string;
}

type ConfiguredScope = Omit<ConfiguredToken, "secret">;

/** An invalid token in the configuration. Contains its position, never its text. */
interface ConfiguredTokenProblem {
  readonly type: ConfiguredTokenType;
  /** Position in the list of its type, starting at 1. */
  readonly position: number;
  readonly message: string;
}

interface ConfiguredTokens {
  readonly tokens: readonly ConfiguredToken[];
  readonly problems: readonly ConfiguredTokenProblem[];
}

/**
 * Parses the scope of each token from its text, and reports every invalid token.
 *
 * @param isLoopback whether only this machine can connect, which allows shorter secrets @default false
 */
export function parseConfiguredTokens(
  lists: ConfiguredTokenLists,
  isLoopback = false,
): ConfiguredTokens {
  const tokens = new Map<string, ConfiguredToken>();
  const problems: ConfiguredTokenProblem[] = [];
  for (const type of ["admin", "backend", "frontend"] as const) {
    for (const [index, secret] of lists[type].entries()) {
      const existing = tokens.get(secret);
      const scope =
        existing === undefined
          ? readScope(secret, type, isLoopback)
          : scopeOfDuplicate(existing, type);
      if (typeof scope === "string") problems.push({ type, position: index + 1, message: scope });
      else tokens.set(secret, { ...scope, secret });
    }
  }
  return { tokens: [...tokens.values()], problems };
}

/** A token may occur twice in one list. In two lists, its type would be ambiguous. */
function scopeOfDuplicate(
  existing: ConfiguredToken,
  type: ConfiguredTokenType,
): ConfiguredScope | string {
  return existing.type === type ? existing : `is also listed as a token of type ${existing.type}`;
}

/** Returns the scope of a token, or a message that says why it is invalid. */
function readScope(
  secret: string,
  type: ConfiguredTokenType,
  isLoopback: boolean,
): ConfiguredScope | string {
  const text = parseTokenText(secret);
  if (text === undefined) return `must have the form ${formOf(type)}`;
  const scope = type === "admin" ? readAdminScope(text) : readSdkScope(text, type);
  return typeof scope === "string" ? scope : (checkSecret(secret, type, isLoopback) ?? scope);
}

function readAdminScope(text: TokenText): ConfiguredScope | string {
  return text.project === WILDCARD && text.environment === WILDCARD
    ? { type: "admin", environment: WILDCARD, projects: [WILDCARD] }
    : "must begin with `*:*.`, because admin tokens are not limited to a project or environment";
}

function readSdkScope(
  { project, environment }: TokenText,
  type: ConfiguredTokenType,
): ConfiguredScope | string {
  if (environment === WILDCARD) return "must name one environment, not `*`";
  if (project === SEVERAL_PROJECTS) {
    return "must name one project or `*`: `[]` does not say which projects";
  }
  return { type, environment, projects: [project] };
}

/** Frontend tokens are part of web pages and apps, so a short one only causes a warning. */
function checkSecret(secret: string, type: ApiTokenType, isLoopback: boolean): string | undefined {
  const minLength = isLoopback ? MIN_LOOPBACK_SECRET_LENGTH : MIN_SECRET_LENGTH;
  if (type === "frontend" || secretPartOf(secret).length >= minLength) return undefined;
  return `must have at least ${minLength} characters after the first dot, for example those that \`openssl rand -hex 28\` prints`;
}

function formOf(type: ApiTokenType): string {
  return type === "admin" ? "`*:*.secret`" : "`project:environment.secret`";
}
