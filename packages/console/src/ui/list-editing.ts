import { type RefObject, useLayoutEffect, useRef, useState } from "react";

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

interface ListEditing<Entry> {
  /** One key for each entry. */
  readonly keys: readonly number[];
  /** For the button that adds an entry. */
  readonly addButton: RefObject<HTMLButtonElement | null>;
  /** Whether the user has just added this entry. */
  readonly isNew: (index: number) => boolean;
  readonly add: (entry: Entry) => void;
  readonly insert: (index: number, entry: Entry) => void;
  readonly change: (index: number, change: (entry: Entry) => Entry) => void;
  readonly remove: (index: number) => void;
}

/**
 * Edits the entries of a list.
 *
 * @param update changes the list of the parent
 */
export function useListEditing<Entry>(
  list: readonly Entry[],
  update: (edit: (list: readonly Entry[]) => readonly Entry[]) => void,
): ListEditing<Entry> {
  const { keys, insert, remove } = useRowKeys(list.length);
  const [hasAdded, setAdded] = useState(false);
  const addButton = useRef<HTMLButtonElement>(null);
  return {
    keys,
    addButton,
    isNew: (index) => hasAdded && index === list.length - 1,
    add: (entry) => {
      setAdded(true);
      update((latest) => [...latest, entry]);
    },
    insert: (index, entry) => {
      insert(index);
      update((latest) => latest.toSpliced(index, 0, entry));
    },
    change: (index, change) =>
      update((latest) =>
        latest.map((entry, position) => (position === index ? change(entry) : entry)),
      ),
    remove: (index) => {
      remove(index);
      update((latest) => latest.toSpliced(index, 1));
      // Without this, the dialog would move the focus to its first button.
      addButton.current?.focus();
    },
  };
}

interface RowKeys {
  /** One key for each row. */
  readonly keys: readonly number[];
  /** Must be called when a row is inserted before others. */
  readonly insert: (index: number) => void;
  /** Must be called when a row is removed. */
  readonly remove: (index: number) => void;
}

/** Identifies the rows of an editable list, so that each keeps its state when others are removed. */
function useRowKeys(count: number): RowKeys {
  const [{ keys, next }, setState] = useState({ keys: [] as readonly number[], next: 0 });
  const missing = Math.max(0, count - keys.length);
  const current = [...keys.slice(0, count), ...Array.from({ length: missing }, (_, i) => next + i)];
  return {
    keys: current,
    insert: (index) =>
      setState({
        keys: current.toSpliced(index, 0, next + missing),
        next: next + missing + 1,
      }),
    remove: (index) => setState({ keys: current.toSpliced(index, 1), next: next + missing }),
  };
}
