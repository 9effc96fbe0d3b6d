import type { Static } from "typebox";
import {
  isSingleValue,
  readContext,
  type SentContext,
  SentContextBuilder,
} from "../../context/sent-context.ts";
import type { OfrepContext } from "./schemas.ts";

/**
 * Reads an OpenFeature context, whose own fields can have any value. Objects, lists and null are ignored:
 * flags cannot use them, but other consumers of the same context may. The schema has rejected them as
 * the targeting key and as standard fields, such as `sessionId`.
 */
export function readOfrepContext(body: Static<typeof OfrepContext>): SentContext {
  const { targetingKey, ...sent } = body;
  const context = new SentContextBuilder();
  // The targeting key is the user id, as in OpenFeature providers for Unleash. It comes first, and so
  // takes precedence over a field `userId`.
  if (isSingleValue(targetingKey) && targetingKey !== "") {
    context.addField("userId", String(targetingKey));
  }
  return readContext(sent, context);
}
