import { randomUUID } from "node:crypto";
import { desc, eq, inArray, or } from "drizzle-orm";
import type { Account } from "../access/account.ts";
import { ApiError, badData, notFound } from "../errors.ts";
import { type Database, firstRow, groupBy } from "../storage/database.ts";
import { SYSTEM_ACTOR } from "../storage/events.ts";
import { invitedUsers, inviteLinks, users } from "../storage/schema/accounts.ts";
import type { Storage, WriteTransaction } from "../storage/storage.ts";
import { createSecret, hashSecret } from "./user-links.ts";
import { createUser, type NewUser, prepareUser } from "./user-store.ts";
import { ROOT_ROLES } from "./roles.ts";
import { toUserView } from "./user-view.ts";

export type InviteLink = typeof inviteLinks.$inferSelect;

const MAX_DAYS = 31;
const DAY_MS = 86_400_000;

/**
 * Reads when a link is to expire. Later times become a month from now.
 *
 * @throws {ApiError} 400 if it is not a date, or has passed
 */
export function readLinkExpiry(expiresAt: string): Date {
  const time = new Date(expiresAt).getTime();
  if (!(time > Date.now()))
    throw badData("/body/expiresAt", "must be an existing date in the future");
  return new Date(Math.min(time, Date.now() + MAX_DAYS * DAY_MS));
}

/** Creates a link with which several people create accounts of viewers. Returns its secret too. */
export async function createInviteLink(
  { db, actor, record }: WriteTransaction,
  { name, expiresAt }: { readonly name: string; readonly expiresAt: string },
) {
  const secret = createSecret();
  const link = firstRow(
    await db
      .insert(inviteLinks)
      .values({
        id: randomUUID(),
        secretHash: hashSecret(secret),
        name,
        expiresAt: readLinkExpiry(expiresAt),
        createdBy: actor.name,
      })
      .returning(),
  );
  await record({ type: "public-signup-token-created", after: toEventState(link) });
  return { link, secret };
}

/** @throws {ApiError} 404 if there is no such link */
export async function updateInviteLink(
  transaction: WriteTransaction,
  idOrSecret: string,
  changes: { readonly expiresAt?: string; readonly enabled?: boolean },
): Promise<InviteLink> {
  const { db, record } = transaction;
  const before = await getInviteLink(db, idOrSecret);
  const { expiresAt, enabled = before.enabled } = changes;
  const values = {
    enabled,
    expiresAt: expiresAt === undefined ? before.expiresAt : readLinkExpiry(expiresAt),
  };
  const after = firstRow(
    await db.update(inviteLinks).set(values).where(eq(inviteLinks.id, before.id)).returning(),
  );
  await record({
    type: "public-signup-token-updated",
    before: toEventState(before),
    after: toEventState(after),
  });
  return after;
}

function toEventState({ id, name, enabled, expiresAt }: InviteLink) {
  return { id, name, enabled, expiresAt: expiresAt.toISOString() };
}

/** @throws {ApiError} 404 if there is no link with this id or secret */
export async function getInviteLink(db: Database, idOrSecret: string): Promise<InviteLink> {
  const [link] = await db
    .select()
    .from(inviteLinks)
    .where(or(eq(inviteLinks.id, idOrSecret), eq(inviteLinks.secretHash, hashSecret(idOrSecret))));
  if (link === undefined) throw notFound("There is no invite link with this id or secret");
  return link;
}

/** Returns invite links with the users who have used them, newest first. */
export async function viewInviteLinks(db: Database, links: readonly InviteLink[]) {
  const rows =
    links.length === 0
      ? []
      : await db
          .select({ link: invitedUsers.link, user: users })
          .from(invitedUsers)
          .innerJoin(users, eq(users.id, invitedUsers.userId))
          .where(
            inArray(
              invitedUsers.link,
              links.map(({ id }) => id),
            ),
          );
  const byLink = groupBy(rows, ({ link }) => link);
  return links.map(({ secretHash: _secretHash, id, ...link }) => ({
    ...link,
    // NOTE: only the response to the creation contains the secret. The id identifies the link in paths.
    secret: id,
    url: null as string | null,
    users: (byLink.get(id) ?? []).map(({ user }) => toUserView(user)),
    role: { id: ROOT_ROLES.viewer.id, name: "Viewer", type: "root" },
  }));
}

export function listInviteLinks(db: Database): Promise<InviteLink[]> {
  return db.select().from(inviteLinks).orderBy(desc(inviteLinks.createdAt));
}

/** @throws {ApiError} 400 if the link is unknown, disabled or has expired */
export async function findInviteLink(db: Database, secret: string): Promise<InviteLink> {
  const [link] = await db
    .select()
    .from(inviteLinks)
    .where(eq(inviteLinks.secretHash, hashSecret(secret)));
  if (link?.enabled === true && link.expiresAt > new Date()) return link;
  throw new ApiError(
    "BadDataError",
    "The invite link is unknown, disabled or has expired: ask an admin for a new one",
  );
}

/**
 * Creates an account of a viewer with an invite link.
 *
 * @throws {ApiError} 400 if the link cannot be used, or a name or the password is not valid
 */
export async function signUp(
  storage: Pick<Storage, "db" | "write">,
  secret: string,
  user: Omit<NewUser, "role">,
): Promise<Account> {
  await findInviteLink(storage.db, secret);
  const prepared = await prepareUser({ ...user, role: "viewer" });
  return storage.write(SYSTEM_ACTOR, async (transaction) => {
    const link = await findInviteLink(transaction.db, secret);
    const account = await createUser(transaction, prepared);
    await transaction.db.insert(invitedUsers).values({ link: link.id, userId: account.id });
    await transaction.record({
      type: "public-signup-token-user-added",
      after: { ...toEventState(link), userId: account.id },
    });
    return account;
  });
}
