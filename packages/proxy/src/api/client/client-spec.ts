import { supportsSegments } from "flags-engine";
import { HttpError } from "../../errors.ts";

/**
 * Whether the sender of an `Unleash-Client-Spec` header knows segments; without one it does not.
 *
 * @throws {HttpError} when it is no version
 */
export function understandsSegments(clientSpec: string | string[] | undefined): boolean {
  if (clientSpec === undefined) return false;
  const answer = supportsSegments(clientSpec.toString());
  if (answer !== undefined) return answer;
  throw new HttpError(400, "Bad request: `Unleash-Client-Spec` must be a version such as `4.2.0`");
}
