const MAX_SHOWN_LENGTH = 100;
const HIDDEN = "***";

/** Quotes untrusted text for a message: shortened, and without parts that may be secrets. */
export function showText(text: string): string {
  return text.includes("://") || text.includes("@") ? showAddress(text) : quote(text);
}

/** Quotes text that is meant to be a URL. Hides user, query and fragment, which may be secrets. */
export function showAddress(text: string): string {
  const scheme = /^[a-z][a-z0-9+.-]*:\/\//i.exec(text)?.[0] ?? "";
  const rest = text.slice(scheme.length);
  const userEnd = rest.lastIndexOf("@") + 1;
  const queryStart = rest.search(/[?#]/);
  if (queryStart === -1) return quote(`${scheme}${hideUser(rest, userEnd)}`);
  // NOTE: either the password contains `?` or the query contains `@`, so the secret may start anywhere.
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
