import { useState } from "react";

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
