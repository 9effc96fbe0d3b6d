import { eq } from "drizzle-orm";
import type { Database } from "../storage/database.ts";
import type { Actor } from "../storage/events.ts";
import { apiTokens } from "../storage/schema/access.ts";
import type { Requester } from "../storage/schema/change-requests.ts";

/**
 * Finds the account of the person who acts: for an API token, of who has created it, if that is known. Two tokens of a
 * person are the same person.
 */
export async function findPersonBehind(db: Database, { kind, id }: Actor): Promise<number | null> {
  if (id === null || kind === "system") return null;
  if (kind === "user") return Number(id);
  const [token] = await db
    .select({ createdByUser: apiTokens.createdByUser })
    .from(apiTokens)
    .where(eq(apiTokens.id, id));
  return token?.createdByUser ?? null;
}

/** Returns who acts, with the person behind. */
export async function toRequester(db: Database, actor: Actor): Promise<Requester> {
  return { ...actor, userId: await findPersonBehind(db, actor) };
}
