import { describeEvent as describe } from "../../../admin/src/event-words/describe-event.ts";
import { EVENT_WORDS } from "../../../admin/src/event-words/event-words.ts";
import type { RecordedEvent } from "../api/types.ts";
import type { Names } from "../strategies/describe-strategy.ts";
import { describeStrategyType } from "../strategies/strategy-labels.ts";
import { describeRecordedStrategy } from "./recorded-words.ts";

const NO_NAMES: Names = { segments: [], types: [] };

/** Says in one sentence who did what, for example "Anna turned on checkout in production". */
export function describeEvent(event: RecordedEvent, names: Names = NO_NAMES): string {
  return describe(event, {
    audience: (state) => describeRecordedStrategy(state, names),
    typeName: (name) => describeStrategyType(name, names.types).name,
  });
}

/** All types of events with their names, sorted by name. */
export const EVENT_TYPES: readonly { readonly id: string; readonly label: string }[] =
  Object.entries(EVENT_WORDS)
    .map(([id, { label }]) => ({ id, label }))
    .toSorted((a, b) => (a.label < b.label ? -1 : 1));
