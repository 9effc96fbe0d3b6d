/** Requests to the upstream at the same time while usage is delivered. */
export const CONCURRENCY = 20;

/**
 * Does work on each item, on up to 20 at the same time. Items are drawn one by one. After a failure no
 * further ones are drawn, and the first failure is thrown once the work under way has ended.
 */
export async function inParallel<Item>(
  items: Iterable<Item>,
  work: (item: Item) => Promise<unknown>,
): Promise<void> {
  const iterator = items[Symbol.iterator]();
  const failures: unknown[] = [];
  const lane = async (): Promise<void> => {
    while (failures.length === 0) {
      const next = iterator.next();
      if (next.done === true) return;
      // oxlint-disable-next-line no-await-in-loop -- each lane does one after the other
      await work(next.value).catch((error: unknown) => failures.push(error));
    }
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, lane));
  if (failures.length === 0) return;
  iterator.return?.();
  throw failures[0];
}
