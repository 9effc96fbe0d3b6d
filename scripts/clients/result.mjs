/** The line that every example prints or shows. Languages differ in how they write `true`. */
const RESULT = /new-header: (\w+), button-colour: (\w+)/;

/** Returns whether the text contains the result. Throws an error if the result is wrong. */
export function hasResult(text, variant) {
  const [line, enabled, colour] = RESULT.exec(text) ?? [];
  if (line === undefined) return false;
  if (enabled.toLowerCase() === "true" && colour === variant) return true;
  throw new Error(`The result is "${line}", but new-header is on and the variant is ${variant}`);
}

export function requireResult(text, variant) {
  if (!hasResult(text, variant)) throw new Error(`There is no result in:\n${text}`);
}
