/** Yields the first element of each list, then the second of each, and so on. */
export function* inTurn<Element>(
  lists: readonly (readonly Element[])[],
): Generator<Element, undefined, undefined> {
  let rest = lists;
  for (let index = 0; rest.length > 0; index += 1) {
    rest = rest.filter(({ length }) => index < length);
    for (const list of rest) yield* list.slice(index, index + 1);
  }
  return undefined;
}

/** Makes an entry the last one. */
export function moveToEnd<Value>(map: Map<string, Value>, key: string): void {
  const value = map.get(key);
  if (value === undefined) return;
  map.delete(key);
  map.set(key, value);
}
