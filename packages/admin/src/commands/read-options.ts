import { EXIT_USAGE, SubcommandError } from "flags-server-kit/command-line";
import type { Static, TSchema } from "typebox";
import { ApiError, type ErrorDetail } from "../errors.ts";

/**
 * Checks the body of a request of the admin API that options were turned into, as that API does.
 *
 * @throws {ApiError} 400
 */
export async function checkBody<T extends TSchema>(schema: T, body: object): Promise<Static<T>> {
  const [{ compileOnUse }, { toValidationError }, { findUnstorable }] = await Promise.all([
    import("../http/validation.ts"),
    import("../http/to-api-error.ts"),
    import("../http/reject-unstorable.ts"),
  ]);
  const violations = compileOnUse(schema)(body);
  if (violations !== undefined) throw toValidationError("/body", violations);
  const unstorable = findUnstorable(body, "/body");
  if (unstorable !== undefined) throw new ApiError("BadDataError", "", { details: [unstorable] });
  return body as Static<T>;
}

/**
 * Makes errors about a property of a request name the option from which it was read.
 *
 * @param optionByProperty names of options by names of properties of the body, and of parameters of the path
 */
export async function namingOptions<T>(
  optionByProperty: Readonly<Record<string, string>>,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const [detail] = error instanceof ApiError ? error.details : [];
    const option = detail && findOption(optionByProperty, detail);
    if (detail === undefined || option === undefined) throw error;
    const message = detail.message === "is missing" ? "is required" : detail.message;
    throw new SubcommandError(`--${option} ${message}`, EXIT_USAGE, { cause: error });
  }
}

function findOption(
  optionByProperty: Readonly<Record<string, string>>,
  { path = "" }: ErrorDetail,
): string | undefined {
  const [, property] = /^\/(?:body|params)\/(\w+)/.exec(path) ?? [];
  return Object.entries(optionByProperty).find(([name]) => name === property)?.[1];
}
