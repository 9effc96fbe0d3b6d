import type { Static } from "typebox";
import type { OfrepContext } from "./schemas.ts";
import {
  SentContextBuilder,
  type SentContext,
  toFieldText,
} from "../../evaluation/sent-context.ts";

/**
 * Reads a context of OpenFeature, whose fields may be anything: what is not a single value has no
 * meaning to flags and is left out, for other users of the same context may need it.
 */
export function readOfrepContext(body: Static<typeof OfrepContext>): SentContext {
  const { targetingKey, properties, ...fields } = body;
  const context = new SentContextBuilder();
  // As in OpenFeature providers for this kind of flags, it names the user. What comes first counts.
  if (isSingle(targetingKey) && targetingKey !== "") {
    context.addField("userId", String(targetingKey));
  }
  for (const [name, value] of Object.entries(fields)) {
    if (isSingle(value)) context.addField(name, toFieldText(name, value));
  }
  if (typeof properties === "object" && properties !== null) {
    for (const [name, value] of Object.entries(properties)) {
      if (isSingle(value)) context.addProperty(name, String(value));
    }
  }
  return withSession(context.build());
}

/** NOTE: OpenFeature knows no sessions. A new one for each request would make rollouts flicker. */
function withSession(sent: SentContext): SentContext {
  const { sessionId, userId } = sent.fields;
  if (sessionId || !userId) return sent;
  return { ...sent, fields: { ...sent.fields, sessionId: userId } };
}

function isSingle(value: unknown): value is string | number | boolean {
  return ["string", "number", "boolean"].includes(typeof value);
}
