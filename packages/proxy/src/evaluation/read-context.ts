import type { Static } from "typebox";
import type { EvaluationContext } from "../api/schemas.ts";
import { SentContextBuilder, type SentContext, toFieldText } from "./sent-context.ts";

/** Reads a context from a body that has been found to be as its schema says. */
export function readContext(body: Static<typeof EvaluationContext>): SentContext {
  const { properties, ...fields } = body;
  const context = new SentContextBuilder();
  for (const [name, value] of Object.entries(fields)) {
    if (value !== null) context.addField(name, toFieldText(name, value));
  }
  for (const [name, value] of Object.entries(properties ?? {})) {
    if (value !== null) context.addProperty(name, String(value));
  }
  return context.build();
}
