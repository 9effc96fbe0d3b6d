import { HttpError } from "../errors.ts";

const VERSION = /^(\d{1,9})\.(\d{1,9})\.\d{1,9}(?:[-+][0-9A-Za-z.+-]*)?$/;

/** Whether an SDK that follows this version of the client specification knows segments: 4.2.0. */
export function understandsSegments(clientSpec: string | string[] | undefined): boolean {
  if (clientSpec === undefined) return false;

  const match = VERSION.exec(clientSpec.toString().trim());
  if (match === null) {
    throw new HttpError(
      400,
      "Bad request: `Unleash-Client-Spec` must be a version such as `4.2.0`",
    );
  }
  const [, major, minor] = match.map(Number);
  return major !== undefined && minor !== undefined && (major > 4 || (major === 4 && minor >= 2));
}
