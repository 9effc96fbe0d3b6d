import { isDeepStrictEqual } from "node:util";
import { isRecord } from "flags-server-kit/neutral";
import { toJson } from "../storage/database.ts";
import type { EventType, NewEvent } from "../storage/events.ts";

/**
 * What a change did when it was requested: the events that it would have recorded. Applied later, it must do the same to
 * the fields that it touches; others may have changed since.
 */
export type Expectation = readonly NewEvent[];

/** A field that somebody else has changed since a change was requested. */
export interface Conflict {
  readonly type: EventType;
  readonly feature: string | undefined;
  readonly environment: string | undefined;
  /** Such as `enabled` or `parameters.rollout`; empty for the whole. */
  readonly field: string;
  readonly was: unknown;
  readonly now: unknown;
}

/** Fields that differ each time, and mean nothing. */
const VOLATILE = new Set(["archivedAt", "createdAt", "id", "sortOrder"]);

/** Compares what a change does now with what it did when it was requested. */
export function findConflicts(expected: Expectation, actual: Expectation): readonly Conflict[] {
  const remaining = actual.map((event) => toJson(event) as NewEvent);
  const conflicts: Conflict[] = [];
  for (const event of expected) {
    const index = remaining.findIndex((one) => isSameKind(event, one));
    const found = index === -1 ? undefined : remaining.splice(index, 1)[0];
    if (found === undefined) conflicts.push(toConflict(event, "", event.before, event.after));
    else conflicts.push(...compare(event, found));
  }
  // What it would do in addition depends on what somebody has changed.
  conflicts.push(...remaining.map((event) => toConflict(event, "", undefined, event.before)));
  return conflicts;
}

function isSameKind(one: NewEvent, other: NewEvent): boolean {
  return (
    one.type === other.type &&
    one.feature === other.feature &&
    one.environment === other.environment &&
    idOf(one) === idOf(other)
  );
}

/** Returns the id of what an event changes; undefined for what it creates. */
function idOf({ before }: NewEvent): unknown {
  return isRecord(before) ? before["id"] : undefined;
}

function compare(expected: NewEvent, actual: NewEvent): readonly Conflict[] {
  if (expected.before === undefined || expected.before === null) {
    const was = withoutVolatile(expected.after);
    const now = withoutVolatile(actual.after);
    return isDeepStrictEqual(was, now) ? [] : [toConflict(expected, "", was, now)];
  }
  return touchedFields(expected).flatMap((field) => {
    const was = read(expected.before, field);
    const now = read(actual.before, field);
    return isDeepStrictEqual(was, now) ? [] : [toConflict(expected, field, was, now)];
  });
}

function toConflict(
  { type, feature, environment }: NewEvent,
  field: string,
  was: unknown,
  now: unknown,
): Conflict {
  return { type, feature, environment, field, was: was ?? null, now: now ?? null };
}

function withoutVolatile(state: unknown): unknown {
  if (!isRecord(state)) return state;
  return Object.fromEntries(Object.entries(state).filter(([name]) => !VOLATILE.has(name)));
}

/** Returns the fields that an event changes, with the fields of `parameters` one by one. */
function touchedFields({ before, after }: NewEvent): readonly string[] {
  if (after === undefined || after === null) return [""];
  if (!isRecord(before) || !isRecord(after)) return [""];
  const names = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...names]
    .filter((name) => !VOLATILE.has(name) || name === "sortOrder")
    .filter((name) => !isDeepStrictEqual(before[name], after[name]))
    .flatMap((name) => {
      const { [name]: was } = before;
      const { [name]: will } = after;
      if (name !== "parameters" || !isRecord(was) || !isRecord(will)) return name;
      return [...new Set([...Object.keys(was), ...Object.keys(will)])]
        .filter((parameter) => was[parameter] !== will[parameter])
        .map((parameter) => `${name}.${parameter}`);
    });
}

function read(state: unknown, field: string): unknown {
  if (field === "") return withoutVolatile(state);
  const [name = "", ...rest] = field.split(".");
  const value = isRecord(state) ? state[name] : undefined;
  return rest.length === 0 ? value : isRecord(value) ? value[rest.join(".")] : undefined;
}

/**
 * Returns a state with the fields that the first event of an expectation changes, so that what somebody else has changed
 * since stays.
 */
export function overlay(current: object, [event]: Expectation): Readonly<Record<string, unknown>> {
  const result: Record<string, unknown> = { ...current };
  for (const field of event === undefined ? [] : touchedFields(event)) {
    const [name = "", ...rest] = field.split(".");
    if (rest.length === 0) {
      result[name] = read(event?.after, name);
    } else {
      const parameters = { ...(result[name] as Readonly<Record<string, unknown>>) };
      const value = read(event?.after, field);
      if (value === undefined) delete parameters[rest.join(".")];
      else parameters[rest.join(".")] = value;
      result[name] = parameters;
    }
  }
  return result;
}
