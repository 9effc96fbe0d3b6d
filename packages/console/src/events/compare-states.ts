import { ownValue } from "../ui/own-value.ts";
import { fieldsOf, isObject } from "../../../admin/src/event-words/recorded-state.ts";

/** A difference between two states. */
export interface Difference {
  /** Names of the fields from the outside to the inside. Empty if the states are no objects. */
  readonly path: readonly string[];
  /** @default the field is new */
  readonly before?: unknown;
  /** @default the field is gone */
  readonly after?: unknown;
}

/**
 * Returns what differs between two states, one entry for each field. Empty strings, lists and objects are equal to
 * absent ones. Entries of lists are matched by their id or name, so that an inserted one does not change the others.
 */
export function compareStates(before: unknown, after: unknown): readonly Difference[] {
  return compare(before, after, []);
}

function compare(before: unknown, after: unknown, path: readonly string[]): readonly Difference[] {
  if (isEqual(before, after)) return [];
  if (Array.isArray(before) && Array.isArray(after)) return compareLists(before, after, path);
  if (isComparable(before) && isComparable(after)) {
    const names = [...new Set([...Object.keys(fieldsOf(before)), ...Object.keys(fieldsOf(after))])];
    return names.flatMap((name) =>
      compare(ownValue(fieldsOf(before), name), ownValue(fieldsOf(after), name), [...path, name]),
    );
  }
  return [
    {
      path,
      ...(!isEmpty(before) && { before }),
      ...(!isEmpty(after) && { after }),
    },
  ];
}

/** An absent object is compared with another one field by field, at the top only: as a created or deleted state. */
function isComparable(value: unknown): boolean {
  return isObject(value) || value === undefined || value === null;
}

function compareLists(
  before: readonly unknown[],
  after: readonly unknown[],
  path: readonly string[],
): readonly Difference[] {
  const removed = without(before, after);
  const added = without(after, before);
  // The same entries in another order.
  if (removed.length + added.length === 0) return [{ path, before, after }];
  if (![...removed, ...added].every(isObject)) {
    return [
      {
        path,
        ...(removed.length > 0 && { before: removed }),
        ...(added.length > 0 && { after: added }),
      },
    ];
  }
  const unmatched = new Set(added);
  const changed = removed.flatMap((entry) => {
    const key = keyOf(entry);
    const match =
      key === undefined ? undefined : [...unmatched].find((other) => keyOf(other) === key);
    unmatched.delete(match);
    const place = placeOf(entry, path);
    return match === undefined ? [{ path: place, before: entry }] : compare(entry, match, place);
  });
  return [
    ...changed,
    ...[...unmatched].map((entry) => ({ path: placeOf(entry, path), after: entry })),
  ];
}

function placeOf(entry: unknown, path: readonly string[]): readonly string[] {
  const key = keyOf(entry);
  return key === undefined ? path : [...path, key];
}

/** What identifies an entry of a list. */
function keyOf(entry: unknown): string | undefined {
  const { id, name, contextName } = fieldsOf(entry);
  const key = name ?? contextName ?? id;
  return typeof key === "string" || typeof key === "number" ? String(key) : undefined;
}

function without(list: readonly unknown[], removed: readonly unknown[]): readonly unknown[] {
  const texts = new Set(removed.map(toText));
  return list.filter((entry) => !texts.has(toText(entry)));
}

function isEqual(one: unknown, other: unknown): boolean {
  return (isEmpty(one) && isEmpty(other)) || toText(one) === toText(other);
}

function isEmpty(value: unknown): boolean {
  if (value === undefined || value === null || value === "") return true;
  if (Array.isArray(value)) return value.length === 0;
  return isObject(value) && Object.keys(value).length === 0;
}

/** JSON with sorted names: the same for equal values. */
function toText(value: unknown): string {
  return JSON.stringify(value, (_name, part: unknown) =>
    isObject(part)
      ? Object.fromEntries(Object.entries(part).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  );
}
