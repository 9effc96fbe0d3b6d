import type { Context, Relevance } from "flags-engine";
import { badField } from "../errors.ts";
import type { SentContext } from "./sent-context.ts";

/** What a context is completed with. */
export interface ContextDefaults {
  readonly appName: string;
  /** When set, clients cannot choose theirs. */
  readonly environment: string | undefined;
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
  if (fields.currentTime) context.currentTime = checkedTime(fields.currentTime);
  return context;
}

/** Whether the answer may depend on a session id, so that one must be made up where it is missing. */
export function readsSessionId(relevance: Relevance): boolean {
  return (
    relevance.drawsRandom || relevance.callsCustomStrategy || relevance.fields.includes("sessionId")
  );
}

const ISO_8601 = /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)?)?$/;

function checkedTime(text: string): string {
  if (ISO_8601.test(text) && !Number.isNaN(Date.parse(text))) return text;
  throw badField(
    "currentTime",
    "must be a moment in ISO 8601, such as `2026-01-31T12:00:00Z` (in a URL, write `+` as `%2B`)",
  );
}
