import type { Static } from "typebox";
import type { OfrepContext } from "../routes/ofrep/schemas.ts";
import { SentContextBuilder, type SentContext } from "./sent-context.ts";

/**
 * Reads a context of OpenFeature, whose fields may be anything: what is not a single value has no
 * meaning to flags and is left out, for other users of the same context may need it.
 */
export function readOfrepContext(body: Static<typeof OfrepContext>): SentContext {
  const { targetingKey, properties, ...fields } = body;
  const context = new SentContextBuilder();
  for (const [name, value] of Object.entries(fields)) {
    if (isSingle(value)) context.addField(name, String(value));
  }
  if (typeof properties === "object" && properties !== null) {
    for (const [name, value] of Object.entries(properties)) {
      if (isSingle(value)) context.addProperty(name, String(value));
    }
  }
  // As in OpenFeature providers for this kind of flags, it names the user and beats a `userId`.
  if (isSingle(targetingKey) && targetingKey !== "") {
    context.addField("userId", String(targetingKey));
  }
  return context.build();
}

function isSingle(value: unknown): value is string | number | boolean {
  return ["string", "number", "boolean"].includes(typeof value);
}
