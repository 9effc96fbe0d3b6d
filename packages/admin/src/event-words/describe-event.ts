import type { EventType } from "../storage/events.ts";
import type { DescribedEvent, StrategyWords } from "./event-parts.ts";
import { EVENT_WORDS } from "./event-words.ts";

/** Says in one sentence who did what, for example "Anna turned on checkout in production". */
export function describeEvent(event: DescribedEvent, strategies: StrategyWords): string {
  return `${authorOf(event)} ${describeAction(event, strategies)}`;
}

/** The id with which the service marks its own changes. */
const SYSTEM_USER_ID = -1337;

/** Returns the name of who made a change. */
function authorOf({ createdBy, createdByUserId }: DescribedEvent): string {
  return createdByUserId === SYSTEM_USER_ID ? "The service" : createdBy;
}

function describeAction(event: DescribedEvent, strategies: StrategyWords): string {
  // A newer version may have recorded types that this one does not know.
  if (!isKnown(event.type)) return `made a change of type ${event.type}`;
  return EVENT_WORDS[event.type].action(event, strategies);
}

function isKnown(type: string): type is EventType {
  return Object.hasOwn(EVENT_WORDS, type);
}
