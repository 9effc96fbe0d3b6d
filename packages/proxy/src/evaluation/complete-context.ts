import type { Context, ContextDependencies } from "flags-engine";
import { badField, type HttpError } from "../errors.ts";
import type { SentContext } from "./sent-context.ts";

/** The configured values that complete a context. */
export interface ContextDefaults {
  readonly appName: string;
  /** The environment of every context; undefined if clients choose it. */
  readonly environment: string | undefined;
  /**
   * Whether an invalid `currentTime` is ignored, so that flags are evaluated for the current time.
   * @default false: an invalid time is a 400
   */
  readonly ignoresInvalidTime?: boolean;
}

/** Values of a request that complete its context. */
export interface RequestFacts {
  /** The caller's address; undefined on a Unix socket. */
  readonly remoteAddress: string | undefined;
  /** A random id for this request; undefined if no flag reads it. */
  readonly sessionId: string | undefined;
}

type MutableContext = { -readonly [Field in keyof Context]: Context[Field] };

/** The environment if neither the client nor the configuration names one. */
const DEFAULT_ENVIRONMENT = "default";

/**
 * Adds the fields that a client did not send, and overrides those that it may not choose.
 *
 * @throws {HttpError} a 400 for an invalid `currentTime`
 */
export function completeContext(
  { fields, properties }: SentContext,
  defaults: ContextDefaults,
  facts: RequestFacts,
): Context {
  // NOTE: some clients send an empty parameter for a value that they do not have. An id or an address
  // cannot be empty; other fields can.
  const sessionId = fields.sessionId || facts.sessionId;
  const remoteAddress = fields.remoteAddress || facts.remoteAddress;
  const context: MutableContext = {
    appName: fields.appName ?? defaults.appName,
    environment: defaults.environment ?? fields.environment ?? DEFAULT_ENVIRONMENT,
    properties,
  };
  if (fields.userId !== undefined) context.userId = fields.userId;
  if (sessionId !== undefined) context.sessionId = sessionId;
  if (remoteAddress !== undefined) context.remoteAddress = remoteAddress;
  const currentTime = fields.currentTime && toTime(fields.currentTime);
  if (currentTime) context.currentTime = currentTime;
  else if (fields.currentTime && defaults.ignoresInvalidTime !== true) throw invalidTime();
  return context;
}

/** Whether an outcome may depend on the session id, so that a missing one must be generated. */
export function readsSessionId(contextDependencies: ContextDependencies): boolean {
  return (
    contextDependencies.drawsRandom ||
    contextDependencies.callsCustomStrategy ||
    contextDependencies.fields.includes("sessionId")
  );
}

const ISO_8601 =
  /^\d{4}(?:-\d\d(?:-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)?)?)?)?$/;

/** Matches the formats of `Date.prototype.toString()`, `toUTCString()` and HTTP dates. */
const NAMES_ZONE = /\bGMT\b/;

/**
 * Returns a valid time in ISO 8601, or undefined. Rejects the other formats that `Date` can parse: it
 * reads them as local time, so replicas in different time zones would disagree.
 */
function toTime(text: string): string | undefined {
  const isIso = ISO_8601.test(text);
  if (!isIso && !NAMES_ZONE.test(text)) return undefined;
  const timeMs = Date.parse(text);
  if (Number.isNaN(timeMs)) return undefined;
  return isIso ? text : new Date(timeMs).toISOString();
}

function invalidTime(): HttpError {
  return badField(
    "currentTime",
    "must be a time in ISO 8601, such as `2026-01-31T12:00:00Z` (in a URL, write `+` as `%2B`), or in a JSON body a number of epoch milliseconds",
  );
}
