import type { Static, TSchema } from "typebox";
import type { SentContext } from "../evaluation/sent-context.ts";

/** What an evaluation request contains. */
export interface EvaluationInput {
  readonly sent: SentContext;
  /** Names of the only toggles to list; undefined for all. */
  readonly toggles?: readonly string[] | undefined;
}

/** How the body of an evaluation request is read. */
export interface BodyForm {
  readonly schema: TSchema;
  /** Reads a body that matches the schema. */
  read(body: unknown): EvaluationInput;
}

/** Combines a schema and the function that reads matching bodies. */
export function createBodyForm<Schema extends TSchema>(
  schema: Schema,
  read: (body: Static<Schema>) => EvaluationInput,
): BodyForm {
  return { schema, read: (body) => read(body as Static<Schema>) };
}
