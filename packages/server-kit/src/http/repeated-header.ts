/**
 * Returns the first of `names`, in lower case, that a request has more than once. Node uses the first value and other
 * servers use the last, so that two servers could check different keys.
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
    // This runs for every request: comparing lengths first avoids most conversions.
    if (candidate.length !== name.length || candidate.toLowerCase() !== name) continue;
    if (isFound) return true;
    isFound = true;
  }
  return false;
}

export function describeRepeatedHeader(name: string): string {
  return `The \`${name}\` header must be sent once, but the request has it more than once`;
}

/** The request has several `Host` headers, which Node accepts: another server could use a different one. */
export class RepeatedHostError extends Error {
  override readonly name = "RepeatedHostError";

  constructor() {
    super(describeRepeatedHeader("host"));
  }
}
