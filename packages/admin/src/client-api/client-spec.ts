import { supportsSegments } from "flags-engine";
import { ApiError } from "../errors.ts";

/**
 * Whether the sender of an `Unleash-Client-Spec` header knows segments; without one it does not.
 *
 * @throws {ApiError} when it is no version
 */
export function understandsSegments(clientSpec: string | string[] | undefined): boolean {
  if (clientSpec === undefined) return false;
  const answer = supportsSegments(clientSpec.toString());
  if (answer !== undefined) return answer;

  const message = "must be a version such as `4.2.0`";
  throw new ApiError("BadDataError", `Bad request: \`Unleash-Client-Spec\` ${message}`, {
    details: [{ message, path: "/headers/unleash-client-spec" }],
  });
}
