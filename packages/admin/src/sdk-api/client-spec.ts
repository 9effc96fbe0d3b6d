import semver from "semver";
import { ApiError } from "../errors.ts";

/** Since this version of the client specification, SDKs know segments. */
const SEGMENTS_SINCE = "4.2.0";

/**
 * Whether an SDK that follows this version of the client specification knows segments.
 *
 * @throws {ApiError} when it is no version
 */
export function understandsSegments(clientSpec: string | string[] | undefined): boolean {
  if (clientSpec === undefined) return false;

  const version = semver.parse(clientSpec.toString().trim());
  if (version === null || clientSpec.toString().trim().startsWith("v")) {
    const message = "must be a version such as `4.2.0`";
    throw new ApiError("BadDataError", `Bad request: \`Unleash-Client-Spec\` ${message}`, {
      details: [{ message, path: "/headers/unleash-client-spec" }],
    });
  }
  return semver.gte(version, SEGMENTS_SINCE);
}
