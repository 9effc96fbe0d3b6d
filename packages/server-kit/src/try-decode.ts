/** Decodes a percent-encoded text. Returns undefined if it is invalid. */
export function tryDecode(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
