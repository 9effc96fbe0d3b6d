import { useLayoutEffect, useRef, useState } from "react";

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

interface RowKeys {
  /** One key for each row. */
  readonly keys: readonly number[];
  /** Must be called when a row is removed. */
  readonly remove: (index: number) => void;
}

/** Identifies the rows of an editable list, so that each keeps its state when others are removed. */
export function useRowKeys(count: number): RowKeys {
  const [{ keys, next }, setState] = useState({ keys: [] as readonly number[], next: 0 });
  const missing = Math.max(0, count - keys.length);
  const current = [...keys.slice(0, count), ...Array.from({ length: missing }, (_, i) => next + i)];
  return {
    keys: current,
    remove: (index) => setState({ keys: current.toSpliced(index, 1), next: next + missing }),
  };
}
