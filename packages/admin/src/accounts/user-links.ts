import { createHash, randomBytes } from "node:crypto";
import { and, eq, isNull, ne } from "drizzle-orm";
import type { Account } from "../access/account.ts";
import { ApiError, badData, notFound } from "../errors.ts";
import type { Database } from "../storage/database.ts";
import { userLinks, users } from "../storage/schema/accounts.ts";
import type { WriteTransaction } from "../storage/storage.ts";
import { findLogin, getUser } from "./user-store.ts";

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

/** What a link is for: to choose the first password or another one, or to sign in. */
export type LinkKind = "invite" | "reset" | "sign-in";

/**
 * Creates a link for a user. The previous ones of the user end.
 *
 * @returns the secret for the link
 */
export async function createLink(
  { db, actor }: WriteTransaction,
  userId: number,
  kind: LinkKind,
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

/**
 * Creates a link for a user who signs in with a password.
 *
 * @param idOrLogin the id, the user name or the email address
 * @returns the secret for the link
 * @throws {ApiError} 404 if there is no such user; 400 for one who is disabled, or signs in with OpenID Connect
 */
export async function createLinkOf(
  transaction: WriteTransaction,
  idOrLogin: string,
  kind: Exclude<LinkKind, "invite">,
): Promise<string> {
  const { db } = transaction;
  const account =
    (await findLogin(db, idOrLogin)) ??
    (/^\d{1,9}$/.test(idOrLogin) ? await getUser(db, Number(idOrLogin)) : undefined);
  if (account === undefined) {
    throw notFound("There is no user with this email address, user name or id");
  }
  requirePassword(account);
  if (account.disabledAt !== null) {
    throw badData("/params/id", "must be of a user who is not disabled");
  }
  const isInvited = kind === "reset" && account.passwordHash === null;
  return createLink(transaction, account.id, isInvited ? "invite" : kind);
}

/** @throws {ApiError} 400 for somebody who signs in with OpenID Connect */
export function requirePassword({ issuer }: Account): void {
  if (issuer === null) return;
  throw badData(
    "/params/id",
    "must be of a user with a password: this one signs in with OpenID Connect",
  );
}

interface OpenLink {
  readonly account: Account;
  readonly link: typeof userLinks.$inferSelect;
}

/** What somebody wants to do with a link. */
type Purpose = "choose a password" | "sign in";

/**
 * Finds the link with a secret.
 *
 * @throws {ApiError} 401 if it is unknown or has expired, or the account is disabled; 403 if it has been used
 */
export async function findLink(
  db: Database,
  secret: string,
  purpose: Purpose = "choose a password",
): Promise<OpenLink> {
  const [found] = await db
    .select({ link: userLinks, account: users })
    .from(userLinks)
    .innerJoin(users, eq(users.id, userLinks.userId))
    .where(
      and(
        eq(userLinks.secretHash, hashSecret(secret)),
        (purpose === "sign in" ? eq : ne)(userLinks.kind, "sign-in"),
      ),
    );
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
export async function useLink(
  { db }: WriteTransaction,
  secret: string,
  purpose?: Purpose,
): Promise<Account> {
  const { account, link } = await findLink(db, secret, purpose);
  await db
    .update(userLinks)
    .set({ usedAt: new Date() })
    .where(and(eq(userLinks.secretHash, link.secretHash), isNull(userLinks.usedAt)));
  return account;
}
