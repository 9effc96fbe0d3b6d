import type { ApiTokenType } from "../storage/schema/api-tokens.ts";
import { EVERYTHING, type TokenScope } from "./api-token.ts";
import { isForEverything, parseTokenText, SEVERAL_PROJECTS } from "./token-text.ts";

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

/** Reads what each token opens from its text, and finds every one that cannot be used. */
export function parseInitTokens(lists: InitTokenLists): InitTokens {
  const tokens = new Map<string, InitToken>();
  const problems: InitTokenProblem[] = [];
  for (const type of ["admin", "backend", "frontend"] as const) {
    for (const [index, secret] of lists[type].entries()) {
      const known = tokens.get(secret);
      const scope = known === undefined ? readScope(secret, type) : explainTwice(known, type);
      if (typeof scope === "string") problems.push({ type, position: index + 1, message: scope });
      else tokens.set(secret, { ...scope, secret });
    }
  }
  return { tokens: [...tokens.values()], problems };
}

/** One token in one list twice does no harm; in two lists nobody knows what it is for. */
function explainTwice(known: InitToken, type: ApiTokenType): TokenScope | string {
  return known.type === type ? known : `is also listed as a token of type ${known.type}`;
}

/** What the token opens, or what is wrong with it. */
function readScope(secret: string, type: ApiTokenType): TokenScope | string {
  const text = parseTokenText(secret);
  if (text === undefined) return `must have the form ${formOf(type)}`;
  if (type === "admin") {
    return isForEverything(text)
      ? { type, environment: EVERYTHING, projects: [EVERYTHING] }
      : "must begin with `*:*.`, as admin tokens are for everything";
  }
  const { project, environment } = text;
  if (environment === EVERYTHING) return "must name one environment, not `*`";
  if (project === SEVERAL_PROJECTS) {
    return "must name one project or `*`: which projects `[]` stands for cannot be told";
  }
  return { type, environment, projects: [project] };
}

function formOf(type: ApiTokenType): string {
  return type === "admin" ? "`*:*.secret`" : "`project:environment.secret`";
}
