/** The pattern of `like` for texts that hold this one, in which nothing is a wildcard. */
export function patternOf(text: string): string {
  return `%${text.replaceAll(/[\\%_]/g, String.raw`\$&`)}%`;
}
