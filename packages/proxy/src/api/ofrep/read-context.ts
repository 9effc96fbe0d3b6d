import { isRecord } from "flags-engine";
import type { Static } from "typebox";
import {
  isSingleValue,
  type SentContext,
  SentContextBuilder,
  toFieldText,
} from "../../context/sent-context.ts";
import type { OfrepContext } from "./schemas.ts";

/**
 * Reads an OpenFeature context, whose own fields can have any value. Objects, lists and null are ignored:
 * flags cannot use them, but other consumers of the same context may. The schema has rejected them as
 * the targeting key and as standard fields, such as `sessionId`.
 */
export function readOfrepContext(body: Static<typeof OfrepContext>): SentContext {
  const { targetingKey, properties, ...fields } = body;
  const context = new SentContextBuilder();
  // The targeting key is the user id, as in OpenFeature providers for Unleash. It comes first, and so
  // takes precedence over a field `userId`.
  if (isSingleValue(targetingKey) && targetingKey !== "") {
    context.addField("userId", String(targetingKey));
  }
  for (const [name, value] of Object.entries(fields)) {
    if (isSingleValue(value)) context.addField(name, toFieldText(name, value));
  }
  if (isRecord(properties)) {
    for (const [name, value] of Object.entries(properties)) {
      if (isSingleValue(value)) context.addProperty(name, String(value));
    }
  }
  return context.build();
}
