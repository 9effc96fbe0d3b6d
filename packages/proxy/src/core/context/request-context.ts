import { randomUUID } from "node:crypto";
import {
  type Context,
  type ContextDependencies,
  type Evaluation,
  readsSessionId,
  type Snapshot,
} from "flags-engine";
import { badField, HttpError } from "../http/errors.ts";
import { type ContextEnricher, type EnricherRequest, enrichContext } from "./enrichers.ts";
import { isStandardField, type SentContext } from "./sent-context.ts";

interface ContextDefaults {
  readonly appName: string;
  /** The environment of every context; undefined if clients choose it. */
  readonly environment: string | undefined;
  /**
   * Whether an invalid `currentTime` is ignored, so that flags are evaluated for the current time.
   * @default false: an invalid time is a 400
   */
  readonly ignoresInvalidValues?: boolean;
  /** Whether a missing session id is the user id, if there is one. @default false */
  readonly sessionIsUser?: boolean;
}

export interface ContextRules {
  readonly defaults: ContextDefaults;
  /** Returns the address of the client that sent a request; undefined if it is not known. */
  readonly callerAddress: (request: ContextRequest) => string | undefined;
  readonly enrichers: readonly ContextEnricher[];
}

interface ContextRequest {
  readonly method?: string | undefined;
  readonly headers: EnricherRequest["headers"];
  readonly socket: { readonly remoteAddress?: string | undefined };
}

interface ContextSubject {
  readonly request: ContextRequest;
  readonly sent: SentContext;
  readonly snapshot: Snapshot;
}

/**
 * Returns the context that was sent, completed and enriched.
 *
 * @throws {HttpError} a 400 if the context is invalid, or a 413 if a value is too long
 */
export async function prepareContext(
  subject: ContextSubject,
  rules: ContextRules,
): Promise<Context> {
  const context = buildContext(subject, rules);
  if (rules.enrichers.length === 0) return context;
  const { request } = subject;
  return enrichContext(context, rules.enrichers, {
    headers: request.headers,
    remoteAddress: rules.callerAddress(request) ?? "",
  });
}

/** Like `prepareContext()`, before enrichers run. */
export function buildContext(
  { request, sent, snapshot }: ContextSubject,
  { defaults, callerAddress, enrichers }: ContextRules,
): Context {
  // The request line of a GET is shorter than the limit.
  if (request.method === "POST") checkLengths(sent, snapshot.contextDependencies);
  const needsSessionId = enrichers.length > 0 || readsSessionId(snapshot.contextDependencies);
  return completeContext(sent, defaults, {
    remoteAddress: callerAddress(request),
    sessionId: needsSessionId && !sent.fields.sessionId ? randomUUID() : undefined,
  });
}

/**
 * Operators such as REGEX read a value completely, once for each constraint: a value of a megabyte could
 * block the process for seconds.
 */
const MAX_VALUE_LENGTH = 16 * 1024;

function checkLengths(sent: SentContext, { fields: names }: ContextDependencies): void {
  for (const name of names) {
    const field = isStandardField(name) ? sent.fields[name] : undefined;
    const length = Math.max(field?.length ?? 0, sent.properties[name]?.length ?? 0);
    if (length > MAX_VALUE_LENGTH) {
      throw new HttpError(
        413,
        `\`${name}\` has ${length} characters: send at most ${MAX_VALUE_LENGTH}, because flags depend on it`,
      );
    }
  }
}

interface ContextFallbacks {
  /** The caller's address; undefined on a Unix socket. */
  readonly remoteAddress: string | undefined;
  /** Undefined if no flag reads it. */
  readonly sessionId: string | undefined;
}

type MutableContext = { -readonly [Field in keyof Context]: Context[Field] };

const DEFAULT_ENVIRONMENT = "default";

/** @throws {HttpError} a 400 for an invalid `currentTime` */
export function completeContext(
  { fields, properties }: SentContext,
  defaults: ContextDefaults,
  fallbacks: ContextFallbacks,
): Context {
  // NOTE: clients send an empty field for a value that they do not have, such as the id of a user who is
  // not signed in.
  const sessionId =
    fields.sessionId || (defaults.sessionIsUser === true && fields.userId) || fallbacks.sessionId;
  const remoteAddress = fields.remoteAddress || fallbacks.remoteAddress;
  const context: MutableContext = {
    appName: fields.appName || defaults.appName,
    environment: defaults.environment ?? (fields.environment || DEFAULT_ENVIRONMENT),
    properties,
  };
  if (fields.userId) context.userId = fields.userId;
  if (sessionId !== undefined) context.sessionId = sessionId;
  if (remoteAddress !== undefined) context.remoteAddress = remoteAddress;
  const currentTime = fields.currentTime && toTime(fields.currentTime);
  if (currentTime) context.currentTime = currentTime;
  else if (fields.currentTime && defaults.ignoresInvalidValues !== true) throw invalidTime();
  return context;
}

/** Whether outcomes depend on no random number, custom strategy or value that was added for this request. */
export function dependsOnSentAlone(
  { fields }: SentContext,
  { isPredictable, hasRead }: Pick<Evaluation, "isPredictable" | "hasRead">,
): boolean {
  return (
    isPredictable &&
    (Boolean(fields.sessionId) || !hasRead("sessionId")) &&
    (Boolean(fields.remoteAddress) || !hasRead("remoteAddress"))
  );
}

const ISO_8601 =
  /^\d{4}(?:-\d\d(?:-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)?)?)?)?$/;

/** Matches the formats of `Date.prototype.toString()`, `toUTCString()` and HTTP dates. */
const NAMES_ZONE = /\bGMT\b/;

/**
 * Returns a valid time in ISO 8601. Rejects other formats, which `Date` reads as local time: replicas in different time
 * zones would disagree.
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
