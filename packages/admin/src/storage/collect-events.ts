import { isNoChange, type NewEvent } from "./events.ts";
import type { WriteTransaction } from "./storage.ts";

interface Collected {
  /** The same transaction, which adds its events to the list instead of recording them. */
  readonly transaction: WriteTransaction;
  readonly events: readonly NewEvent[];
}

/** Collects the events of a part of a change. The caller decides whether to record them. */
export function collectEvents(transaction: WriteTransaction): Collected {
  const events: NewEvent[] = [];
  const record: WriteTransaction["record"] = async (...added) => {
    events.push(...added.filter((event) => !isNoChange(event)));
  };
  return { transaction: { ...transaction, record }, events };
}
