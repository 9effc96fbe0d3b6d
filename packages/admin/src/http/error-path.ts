import { ApiError } from "../errors.ts";

/**
 * Runs checks that were written for the body of another request, and moves the path of their errors:
 * with the path `/body/features/3`, `/body/name` becomes `/body/features/3/name`.
 */
export function withErrorPath<T>(path: string, check: () => T): T {
  try {
    return check();
  } catch (error) {
    throw insertPath(error, path);
  }
}

/** The asynchronous variant of `withErrorPath()`. */
export async function withErrorPathAsync<T>(path: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw insertPath(error, path);
  }
}

function insertPath(error: unknown, path: string): unknown {
  if (!(error instanceof ApiError)) return error;
  const details = error.details.map((detail) => ({
    message: detail.message,
    path: detail.path?.replace(/^\/body/, path) ?? path,
  }));
  const hasPath = error.details[0]?.path !== undefined;
  const message = hasPath
    ? error.message.replace("/body", path)
    : `${path} cannot be imported: ${error.message}`;
  return new ApiError(error.name, message, { details, cause: error });
}
