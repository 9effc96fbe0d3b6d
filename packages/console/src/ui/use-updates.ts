import { useLayoutEffect, useRef } from "react";

/**
 * Returns a function that changes a value of the parent. Several changes in one event build on each other: pressing a
 * checkbox, for example, also ends the input in a field.
 */
export function useUpdates<Value>(
  value: Value,
  onChange: (value: Value) => void,
): (update: (value: Value) => Value) => void {
  const latest = useRef(value);
  useLayoutEffect(() => {
    latest.current = value;
  });
  return (update) => {
    latest.current = update(latest.current);
    onChange(latest.current);
  };
}

/** Returns the list with a changed entry. */
export function withChanged<Entry>(
  list: readonly Entry[],
  index: number,
  change: (entry: Entry) => Entry,
): readonly Entry[] {
  return list.map((entry, position) => (position === index ? change(entry) : entry));
}
