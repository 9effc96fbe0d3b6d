const COLON = "(?::|%3A)";
const WILDCARD = String.raw`(?:\*|%2A|\[\]|%5B%5D)`;
const NAME = String.raw`[\w.~-]+`;

/**
 * For all projects, or for several: nothing else looks like that, so a secret of any length counts,
 * except for the word `secret`, with which messages describe the form.
 */
const WIDE_TOKEN = String.raw`${WILDCARD}${COLON}(?:${WILDCARD}|${NAME})\.(?=[\w-])(?!secret(?![\w-]))`;

/**
 * For one project. Shorter secrets, or ones that go on after another dot, would also match times of
 * day, host names with a port and lists of DNS names.
 *
 * NOTE: it begins where a name begins, so that a long text is not searched again from every character.
 */
const PROJECT_TOKEN = String.raw`(?<![\w.~-])${NAME}${COLON}${NAME}\.(?=[\w-]{12,}(?![\w-]|\.\w))`;

const PERSONAL_TOKEN = String.raw`(?<![\w-])user${COLON}(?=[\w-]{20,})`;

/** A token without its scope. */
const V2_SECRET = String.raw`(?=v2_[\w-]{22}_[\w-]{43})`;

const TOKEN = new RegExp(
  String.raw`(${WIDE_TOKEN}|${PROJECT_TOKEN}|${PERSONAL_TOKEN}|${V2_SECRET})[\w-]+`,
  "gi",
);

/**
 * Replaces the secrets of whatever looks like an API token of the upstream, configured or not:
 * `project:environment.secret`, `*:*.secret`, `[]:environment.secret`, `user:secret`, and secrets
 * such as `v2_…_…` anywhere. What the token is for stays, as it tells which one was meant.
 */
export function redactTokens(text: string, replacement: string): string {
  return text.replace(TOKEN, (_token, scope: string) => `${scope}${replacement}`);
}
