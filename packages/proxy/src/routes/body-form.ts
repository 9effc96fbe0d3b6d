import type { Static, TSchema } from "typebox";
import type { SentContext } from "../context/sent-context.ts";

/** What a body asks for. */
export interface Asked {
  readonly sent: SentContext;
  /** Names of the only toggles that are wanted; undefined for all there are. */
  readonly toggles?: readonly string[] | undefined;
}

/** How a dialect writes the question of a POST. */
export interface BodyForm {
  readonly schema: TSchema;
  /** Reads a body that was found to be as the schema says. */
  read(body: unknown): Asked;
}

/** Ties a schema to what reads the bodies it lets pass. */
export function createBodyForm<Schema extends TSchema>(
  schema: Schema,
  read: (body: Static<Schema>) => Asked,
): BodyForm {
  return { schema, read: (body) => read(body as Static<Schema>) };
}
