import { createHash, randomBytes } from "node:crypto";
import { and, eq, isNull } from "drizzle-orm";
import type { Account } from "../access/account.ts";
import { ApiError } from "../errors.ts";
import type { Database } from "../storage/database.ts";
import { userLinks, users } from "../storage/schema/accounts.ts";
import type { WriteTransaction } from "../storage/storage.ts";

/** How long a link to choose a password can be used. */
const LINK_HOURS = 24;
const HOUR_MS = 3_600_000;
const SECRET_BYTES = 32;

/** Creates the secret of a link or a code. */
export function createSecret(): string {
  return randomBytes(SECRET_BYTES).toString("base64url");
}

/** Hashes the secret of a link or a code for storage. A plain hash is sufficient, because secrets are long and random. */
export function hashSecret(secret: string): string {
  return createHash("sha256").update(secret).digest("hex");
}

/**
 * Creates a link with which a user chooses a password. The previous ones of the user end.
 *
 * @returns the secret for the link
 */
export async function createLink(
  { db, actor }: WriteTransaction,
  userId: number,
  kind: "invite" | "reset",
): Promise<string> {
  const secret = createSecret();
  await db.delete(userLinks).where(eq(userLinks.userId, userId));
  await db.insert(userLinks).values({
    secretHash: hashSecret(secret),
    userId,
    kind,
    createdBy: actor.name,
    expiresAt: new Date(Date.now() + LINK_HOURS * HOUR_MS),
  });
  return secret;
}

interface OpenLink {
  readonly account: Account;
  readonly link: typeof userLinks.$inferSelect;
}

/**
 * Finds the link with a secret.
 *
 * @throws {ApiError} 401 if it is unknown or has expired, or the account is disabled; 403 if it has been used
 */
export async function findLink(db: Database, secret: string): Promise<OpenLink> {
  const [found] = await db
    .select({ link: userLinks, account: users })
    .from(userLinks)
    .innerJoin(users, eq(users.id, userLinks.userId))
    .where(eq(userLinks.secretHash, hashSecret(secret)));
  if (found?.link.usedAt) {
    throw new ApiError(
      "UsedTokenError",
      "The link has been used: sign in with the password, or ask an admin for a new link",
    );
  }
  if (
    found === undefined ||
    found.link.expiresAt <= new Date() ||
    found.account.disabledAt !== null
  ) {
    throw new ApiError(
      "InvalidTokenError",
      "The link is unknown, has expired or was replaced: ask an admin for a new one",
    );
  }
  return found;
}

/**
 * Marks a link as used, so that only one request can use it.
 *
 * @throws {ApiError} as `findLink()`
 */
export async function useLink({ db }: WriteTransaction, secret: string): Promise<Account> {
  const { account, link } = await findLink(db, secret);
  await db
    .update(userLinks)
    .set({ usedAt: new Date() })
    .where(and(eq(userLinks.secretHash, link.secretHash), isNull(userLinks.usedAt)));
  return account;
}
