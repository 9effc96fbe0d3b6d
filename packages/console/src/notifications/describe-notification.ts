import {
  EVENT_GROUP_NAMES,
  EVENT_GROUPS,
  type EventGroup,
  OFFERED_EVENTS,
} from "../../../admin/src/storage/event-groups.ts";
import type { Addon, AddonProvider } from "../api/types.ts";
import { joinWithAnd } from "../ui/words.ts";

/** What the service offers events of, with their types. */
export const GROUPS: readonly { readonly name: EventGroup; readonly types: readonly string[] }[] =
  EVENT_GROUP_NAMES.map((name) => ({
    name,
    types: OFFERED_EVENTS.filter((type) => EVENT_GROUPS[type] === name),
  }));

/** The name that people gave it, or else what it is and where it leads. */
export function nameOf(addon: Addon, providers: readonly AddonProvider[]): string {
  if (addon.description !== null && addon.description !== "") return addon.description;
  return `${providerNameOf(addon, providers)} (${addon.destination})`;
}

export function providerNameOf(
  { provider }: Pick<Addon, "provider">,
  providers: readonly AddonProvider[],
): string {
  return providers.find(({ name }) => name === provider)?.displayName ?? provider;
}

/** Whether a list of an addon means everything. */
export function isAll(list: readonly string[]): boolean {
  return list.length === 0 || list.includes("*");
}

/** Says of which events an addon notifies, for example "flags and 3 other events". */
export function describeEvents({ events }: Pick<Addon, "events">): string {
  if (isAll(events)) return "all events";
  const complete = GROUPS.filter(({ types }) => types.every((type) => events.includes(type)));
  const covered = new Set(complete.flatMap(({ types }) => types));
  const others = events.filter((type) => !covered.has(type)).length;
  return joinWithAnd([
    ...complete.map(({ name }) => name),
    ...(others === 0
      ? []
      : [`${others} ${complete.length === 0 ? "" : "other "}${others === 1 ? "event" : "events"}`]),
  ]);
}

/** Says where the events happen, for example "in production of shop". */
export function describePlaces({
  projects,
  environments,
}: Pick<Addon, "environments" | "projects">): string {
  const where = isAll(environments) ? "all environments" : joinWithAnd([...environments]);
  const of = isAll(projects) ? "all projects" : joinWithAnd([...projects]);
  return `${where} of ${of}`;
}
