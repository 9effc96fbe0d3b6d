import type { EventType } from "../../../admin/src/storage/events.ts";
import type { RecordedEvent } from "../api/types.ts";
import type { Names } from "../strategies/describe-strategy.ts";
import { EVENT_WORDS } from "./event-words.ts";

const NO_NAMES: Names = { segments: [], types: [] };

/** Says in one sentence who did what, for example "Anna turned on checkout in production". */
export function describeEvent(event: RecordedEvent, names: Names = NO_NAMES): string {
  return `${authorOf(event)} ${describeAction(event, names)}`;
}

/** The id with which the service marks its own changes. */
const SYSTEM_USER_ID = -1337;

/** Returns the name of who made a change. */
function authorOf({ createdBy, createdByUserId }: RecordedEvent): string {
  return createdByUserId === SYSTEM_USER_ID ? "The service" : createdBy;
}

function describeAction(event: RecordedEvent, names: Names): string {
  // A newer version may have recorded types that this one does not know.
  if (!isKnown(event.type)) return `made a change of type ${event.type}`;
  return EVENT_WORDS[event.type].action(event, names);
}

function isKnown(type: string): type is EventType {
  return Object.hasOwn(EVENT_WORDS, type);
}

/** All types of events with their names, sorted by name. */
export const EVENT_TYPES: readonly { readonly id: string; readonly label: string }[] =
  Object.entries(EVENT_WORDS)
    .map(([id, { label }]) => ({ id, label }))
    .toSorted((a, b) => (a.label < b.label ? -1 : 1));
