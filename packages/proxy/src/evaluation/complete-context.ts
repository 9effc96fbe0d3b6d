import type { Context, ContextDependencies } from "flags-engine";
import { badField, type HttpError } from "../errors.ts";
import type { SentContext } from "./sent-context.ts";

/** What a context is completed with. */
export interface ContextDefaults {
  readonly appName: string;
  /** When set, clients cannot choose theirs. */
  readonly environment: string | undefined;
  /**
   * Whether a `currentTime` that is not a time is ignored, so that flags are evaluated for now.
   * @default false: it is a 400
   */
  readonly ignoresInvalidTime?: boolean;
}

/** What is known of a request besides the context it carries. */
export interface RequestFacts {
  /** Undefined when the caller has none, as on a Unix socket. */
  readonly remoteAddress: string | undefined;
  /** One id for all flags of the request; undefined when no flag would look at it. */
  readonly sessionId: string | undefined;
}

type MutableContext = { -readonly [Field in keyof Context]: Context[Field] };

/** The environment of a context when neither the client nor the configuration names one. */
const DEFAULT_ENVIRONMENT = "default";

/** Completes what a client sent with what it left out, and fixes what it may not choose. */
export function completeContext(
  { fields, properties }: SentContext,
  defaults: ContextDefaults,
  facts: RequestFacts,
): Context {
  // NOTE: an empty text is a value, except where it cannot be one: some clients send an empty
  // parameter for what they do not know.
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

/** Whether the answer may depend on a session id, so that one must be made up where it is missing. */
export function readsSessionId(contextDependencies: ContextDependencies): boolean {
  return (
    contextDependencies.drawsRandom ||
    contextDependencies.callsCustomStrategy ||
    contextDependencies.fields.includes("sessionId")
  );
}

const ISO_8601 =
  /^\d{4}(?:-\d\d(?:-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)?)?)?)?$/;

/** `Date.prototype.toString()` and `toUTCString()` write such texts, and so does HTTP. */
const NAMES_ZONE = /\bGMT\b/;

/**
 * Checks a time. Other formats that `Date` can parse are left out, because it takes them as local
 * time: replicas in different time zones would disagree.
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
