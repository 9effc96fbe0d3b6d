import { MIN_LOOPBACK_SECRET_LENGTH, MIN_SECRET_LENGTH, secretPartOf } from "flags-server-kit";
import type { ApiTokenType } from "../../storage/schema/api-tokens.ts";
import { EVERYTHING, type TokenScope } from "./api-token.ts";
import { isForEverything, parseTokenText, SEVERAL_PROJECTS, type TokenText } from "./token-text.ts";

/** The tokens that an operator wants to be there, by what they are for. */
export type InitTokenLists = Readonly<Record<ApiTokenType, readonly string[]>>;

/** A token that an operator chose. */
export interface InitToken extends TokenScope {
  readonly secret: string;
}

/** Something wrong with one of them. Tells its place, never its text. */
export interface InitTokenProblem {
  readonly type: ApiTokenType;
  /** Position in its list, counted from 1. */
  readonly position: number;
  readonly message: string;
}

interface InitTokens {
  readonly tokens: readonly InitToken[];
  readonly problems: readonly InitTokenProblem[];
}

/**
 * Reads what each token gives access to from its text, and finds every one that cannot be used.
 *
 * @param isLoopback whether only this machine can connect, which allows shorter secrets
 */
export function parseInitTokens(lists: InitTokenLists, isLoopback = false): InitTokens {
  const tokens = new Map<string, InitToken>();
  const problems: InitTokenProblem[] = [];
  for (const type of ["admin", "backend", "frontend"] as const) {
    for (const [index, secret] of lists[type].entries()) {
      const known = tokens.get(secret);
      const scope =
        known === undefined ? readScope(secret, type, isLoopback) : explainTwice(known, type);
      if (typeof scope === "string") problems.push({ type, position: index + 1, message: scope });
      else tokens.set(secret, { ...scope, secret });
    }
  }
  return { tokens: [...tokens.values()], problems };
}

/** A token may be repeated in one list. In two lists its type would be ambiguous. */
function explainTwice(known: InitToken, type: ApiTokenType): TokenScope | string {
  return known.type === type ? known : `is also listed as a token of type ${known.type}`;
}

/** The scope of a token, or what is wrong with it. */
function readScope(secret: string, type: ApiTokenType, isLoopback: boolean): TokenScope | string {
  const text = parseTokenText(secret);
  if (text === undefined) return `must have the form ${formOf(type)}`;
  const scope = type === "admin" ? readAdminScope(text) : readSdkScope(text, type);
  return typeof scope === "string" ? scope : (checkSecret(secret, type, isLoopback) ?? scope);
}

function readAdminScope(text: TokenText): TokenScope | string {
  return isForEverything(text)
    ? { type: "admin", environment: EVERYTHING, projects: [EVERYTHING] }
    : "must begin with `*:*.`, because admin tokens are not limited to a project or environment";
}

function readSdkScope(
  { project, environment }: TokenText,
  type: ApiTokenType,
): TokenScope | string {
  if (environment === EVERYTHING) return "must name one environment, not `*`";
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
