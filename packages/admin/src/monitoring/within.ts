/**
 * Waits for a promise, but not for longer than that.
 *
 * @throws {Error} when the time is over
 */
export function within<T>(milliseconds: number, promise: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      reject(new Error(`There was no answer within ${milliseconds} ms`));
    }, milliseconds);
    promise.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
