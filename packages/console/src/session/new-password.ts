/** What the service requires at least and at most. */
export const MIN_LENGTH = 12;
const MAX_LENGTH = 256;

/**
 * Says what is missing of a password that is being typed; undefined if only the service can find something.
 *
 * @param names of its owner, which it must not be
 */
export function describeMissing(password: string, names: readonly string[]): string | undefined {
  const missing = MIN_LENGTH - Array.from(password).length;
  if (missing > 0) return `${missing} more ${missing === 1 ? "character" : "characters"} needed.`;
  if (password.length > MAX_LENGTH) return `A password has at most ${MAX_LENGTH} characters.`;
  const isName = names.some((name) => name.trim().toLowerCase() === password.toLowerCase());
  return isName ? "A password must not be a name or an email address." : undefined;
}
