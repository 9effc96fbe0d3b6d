import { randomUUID } from "node:crypto";
import type { WriteTransaction } from "../../storage/storage.ts";
import { apiTokens } from "../../storage/schema/api-tokens.ts";
import { toTokenView, type ApiToken, type TokenScope } from "./api-token.ts";
import { hashToken } from "./hash-token.ts";
import { tokenEvent } from "./token-event.ts";

interface NewToken extends TokenScope {
  readonly name: string;
  readonly secret: string;
  readonly expiresAt: Date | null;
}

/** Stores a token: all of it but its text. */
export async function insertToken(
  { db, actor, record }: WriteTransaction,
  { secret, ...token }: NewToken,
): Promise<ApiToken> {
  const [inserted] = await db
    .insert(apiTokens)
    .values({
      ...token,
      id: randomUUID(),
      secretHash: hashToken(secret),
      createdBy: actor.name,
    })
    .returning();
  if (inserted === undefined) throw new TypeError("The database returned no token");
  await record(tokenEvent("api-token-created", inserted, { after: toTokenView(inserted) }));
  return inserted;
}
