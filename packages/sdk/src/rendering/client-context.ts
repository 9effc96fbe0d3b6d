import { randomUUID } from "node:crypto";
import { isRecord, readsSessionId } from "flags-engine";
import type { Context, ContextDependencies } from "flags-engine";

/** The context of a browser client. All values are text; those that are empty or missing are absent. */
export interface ClientContext {
  readonly appName?: string;
  readonly environment?: string;
  readonly userId?: string;
  readonly sessionId?: string;
  readonly remoteAddress?: string;
  readonly currentTime?: string;
  readonly properties?: Readonly<Record<string, string>>;
}

const FIELDS: ReadonlySet<string> = new Set([
  "appName",
  "environment",
  "userId",
  "sessionId",
  "remoteAddress",
  "currentTime",
]);

/**
 * Returns a context as a browser client sends it. Lists, objects and null are omitted, and fields that the client does not
 * know become properties.
 *
 * @throws {TypeError} if it is not an object
 */
export function toClientContext(context: Context): ClientContext {
  if (!isRecord(context)) throw new TypeError("`context` must be an object, such as { userId }");
  const { properties, ...fields } = context;
  const known: [string, string][] = [];
  const others: [string, string][] = [];
  for (const [name, value] of Object.entries(fields)) {
    const text = toText(name, value);
    if (text === undefined) continue;
    if (!FIELDS.has(name)) others.push([name, text]);
    else if (text !== "") known.push([name, text]);
  }
  for (const [name, value] of Object.entries(properties ?? {})) {
    const text = toText("", value);
    if (text !== undefined) others.push([name, text]);
  }
  // NOTE: `fromEntries` defines properties, so it is safe for one named `__proto__`. The last one of a name counts.
  const text: ClientContext = Object.fromEntries(known);
  return others.length === 0 ? text : { ...text, properties: Object.fromEntries(others) };
}

function toText(name: string, value: unknown): string | undefined {
  if (typeof value === "string") return value;
  if (typeof value === "boolean" || typeof value === "bigint") return String(value);
  if (value instanceof Date || (name === "currentTime" && typeof value === "number")) {
    const time = new Date(value);
    return Number.isNaN(time.getTime()) ? undefined : time.toISOString();
  }
  return Number.isFinite(value) ? String(value) : undefined;
}

/** Adds a random session id if there is none and a rule may read it. */
export function withSessionId(
  context: ClientContext,
  dependencies: ContextDependencies,
): ClientContext {
  if (context.sessionId !== undefined || !readsSessionId(dependencies)) return context;
  return { ...context, sessionId: randomUUID() };
}
