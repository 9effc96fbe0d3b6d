const MAX_SHOWN_LENGTH = 100;
const HIDDEN = "***";

/** A text from outside as part of a message: quoted, legible, and without what may be a secret. */
export function showText(text: string): string {
  return text.includes("://") || text.includes("@") ? showAddress(text) : quote(text);
}

/** The same for what is meant as an address: a user, a query or a fragment may hold a secret. */
export function showAddress(text: string): string {
  const scheme = /^[a-z][a-z0-9+.-]*:\/\//i.exec(text)?.[0] ?? "";
  const rest = text.slice(scheme.length);
  const userEnd = rest.lastIndexOf("@") + 1;
  const queryStart = rest.search(/[?#]/);
  if (queryStart === -1) return quote(`${scheme}${hideUser(rest, userEnd)}`);
  // NOTE: either a password with a `?`, or a query with an `@`: nobody can tell where it begins.
  if (queryStart < userEnd) return quote(`${scheme}${HIDDEN}`);
  const shown = hideUser(rest.slice(0, queryStart), userEnd);
  return quote(`${scheme}${shown}${rest.charAt(queryStart)}${HIDDEN}`);
}

function hideUser(text: string, userEnd: number): string {
  return userEnd === 0 ? text : `${HIDDEN}@${text.slice(userEnd)}`;
}

function quote(text: string): string {
  const quoted = JSON.stringify(text);
  return quoted.length > MAX_SHOWN_LENGTH ? `${quoted.slice(0, MAX_SHOWN_LENGTH)}…` : quoted;
}
