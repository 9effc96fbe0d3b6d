import { randomUUID } from "node:crypto";
import type { Context } from "flags-engine";
import type { SentContext } from "../context/sent-context.ts";
import type { Answer } from "../render/answer.ts";
import type { Rendering } from "../render/rendering.ts";
import { selectAll, selectEnabled, selectNamed } from "../render/select.ts";
import type { OutcomeVector } from "../render/stretch-table.ts";
import type { MessageKind } from "./message-forms.ts";

/** Which toggles a stream is about: the named ones, all, or those that are on. */
export interface ToggleChoice {
  readonly toggles?: readonly string[] | undefined;
  readonly all?: boolean | undefined;
}

/** What a stream keeps answering. Plain data: it travels in the addresses of streams. */
export interface StreamQuestion extends ToggleChoice {
  readonly context: Context;
  /** What the stream says of an answer. Not set: the toggles. */
  readonly kind?: MessageKind | undefined;
}

/** The toggles of a choice, as they come out. */
export function selectChoice(
  { toggles, all = false }: ToggleChoice,
  rendering: Rendering,
  outcomes: OutcomeVector,
): Answer {
  if (toggles !== undefined) return selectNamed(rendering, outcomes, toggles);
  return all ? selectAll(rendering, outcomes) : selectEnabled(rendering, outcomes);
}

/** Makes up a session id where there is none: with a new one each time, rollouts would flicker. */
export function withSessionId({ fields, properties }: SentContext): SentContext {
  return { fields: { ...fields, sessionId: fields.sessionId || randomUUID() }, properties };
}

/**
 * The same context of texts, numbers and booleans alone, as it is read by rules. An enricher may put
 * anything into a context; what cannot be written as JSON would be lost on the way.
 */
export function toPlainContext({ properties, ...fields }: Context): Context {
  return { ...toPlainValues(fields), properties: toPlainValues(properties ?? {}) };
}

function toPlainValues(values: Readonly<Record<string, unknown>>): Record<string, unknown> {
  // NOTE: no prototype, so that a property may be called `__proto__`.
  const plain: Record<string, unknown> = Object.create(null);
  for (const [name, value] of Object.entries(values)) {
    const settled = toPlain(value);
    if (settled !== undefined) plain[name] = settled;
  }
  return plain;
}

function toPlain(value: unknown): string | number | boolean | undefined {
  if (value === null || value === undefined) return undefined;
  if (typeof value === "string" || typeof value === "boolean") return value;
  if (typeof value === "number" && Number.isFinite(value)) return value;
  try {
    // oxlint-disable-next-line typescript/no-base-to-string -- the rule by which rules read objects
    return value instanceof Date ? value.toISOString() : String(value);
  } catch {
    // A date that is none, or an object without a text form.
    return undefined;
  }
}
