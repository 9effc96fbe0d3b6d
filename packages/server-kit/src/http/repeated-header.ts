/**
 * Finds a header that a request has more than once, even with equal values. For some headers Node
 * uses the first value where another server uses the last, so two of them could check different
 * keys.
 *
 * @param rawHeaders names and values in turn, as in `IncomingMessage`
 * @param names the headers to look for, in lower case
 */
export function findRepeatedHeader(
  rawHeaders: readonly string[],
  names: readonly string[],
): string | undefined {
  return names.find((name) => isRepeated(rawHeaders, name));
}

function isRepeated(rawHeaders: readonly string[], name: string): boolean {
  let isFound = false;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const candidate = rawHeaders[index] ?? "";
    // This runs for every request: most names differ in length and need not be converted.
    if (candidate.length !== name.length || candidate.toLowerCase() !== name) continue;
    if (isFound) return true;
    isFound = true;
  }
  return false;
}

/** The error message for a repeated header. */
export function describeRepeatedHeader(name: string): string {
  return `The \`${name}\` header must be sent once, but the request has it more than once`;
}
