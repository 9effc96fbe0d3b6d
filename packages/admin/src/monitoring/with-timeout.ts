/** Long enough for a busy database, and shorter than the usual timeout of probes and scrapers. */
const TIMEOUT_MS = 2000;

/**
 * Waits at most 2 s for the database.
 *
 * @throws {Error} if the promise is still pending after that time
 */
export function withTimeout<T>(promise: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      reject(new Error(`The database did not respond within ${TIMEOUT_MS} ms`));
    }, TIMEOUT_MS);
    promise.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
