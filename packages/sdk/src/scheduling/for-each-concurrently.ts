/**
 * Processes items concurrently, up to `limit` at a time. Takes each item from the iterable only when
 * its processing starts. After a failure it takes no more items, waits for the pending ones, and
 * throws the first error.
 */
export async function forEachConcurrently<Item>(
  items: Iterable<Item>,
  limit: number,
  process: (item: Item) => Promise<unknown>,
): Promise<void> {
  const iterator = items[Symbol.iterator]();
  const errors: unknown[] = [];
  const processInSequence = async (): Promise<void> => {
    while (errors.length === 0) {
      const next = iterator.next();
      if (next.done === true) return;
      await process(next.value).catch((error: unknown) => errors.push(error));
    }
  };
  await Promise.all(Array.from({ length: limit }, processInSequence));
  if (errors.length === 0) return;
  iterator.return?.();
  throw errors[0];
}
