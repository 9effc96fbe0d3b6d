import parse from "semver/functions/parse.js";

/** The first version of the client specification with segments. */
const SEGMENTS_SINCE = "4.2.0";

/**
 * Whether an SDK that follows this version of the client specification knows segments; undefined
 * when it is no version.
 *
 * A prerelease comes before its release, so `4.2.0-beta.1` does not count: constraints in the place
 * of segments are right for every SDK.
 */
export function supportsSegments(clientSpec: string): boolean | undefined {
  const text = clientSpec.trim();
  const version = text.startsWith("v") ? null : parse(text);
  return version === null ? undefined : version.compare(SEGMENTS_SINCE) >= 0;
}
