/** Returns the value of a JSON text, or undefined if it is invalid. */
export function tryParseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
