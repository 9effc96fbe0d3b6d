import { ApiError } from "../errors.ts";

/**
 * Does what is meant for the body of a request of its own, and has failures name the place in this
 * body: `/body/name` becomes `/body/features/3/name`.
 */
export async function atPath<T>(path: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw relocate(error, path);
  }
}

/** The same for what needs no waiting. */
export function checkAtPath<T>(path: string, check: () => T): T {
  try {
    return check();
  } catch (error) {
    throw relocate(error, path);
  }
}

function relocate(error: unknown, path: string): unknown {
  if (!(error instanceof ApiError)) return error;
  const details = error.details.map((detail) => ({
    message: detail.message,
    path: detail.path?.replace(/^\/body/, path) ?? path,
  }));
  const isPlaced = error.details[0]?.path !== undefined;
  const message = isPlaced
    ? error.message.replace("/body", path)
    : `${path} cannot be imported: ${error.message}`;
  return new ApiError(error.name, message, { details, cause: error });
}
