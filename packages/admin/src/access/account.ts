import type { users } from "../storage/schema/accounts.ts";
import { toAuthorName } from "./openid-user.ts";

/** A person. */
export type Account = typeof users.$inferSelect;

type Named = Pick<Account, "email" | "issuer" | "name" | "username">;

/**
 * Returns the names that an account has. NOTE: the official Terraform provider crashes if one of them is null, and servers of
 * Unleash omit those that an account does not have.
 */
export function namesOf({ name, username, email }: Pick<Account, "email" | "name" | "username">) {
  return {
    ...(name !== "" && { name }),
    ...(username !== null && { username }),
    ...(email !== null && { email }),
  };
}

/** Returns the name of a person for the console and for lists. It need not be unique. */
export function nameOf({ username, email, name }: Named): string {
  return [name, username, email].find((each) => each !== null && each !== "") ?? "unknown";
}

/**
 * Returns the name of a person for events. NOTE: the names that a provider of OpenID Connect sends are not unique, and so
 * must differ from others.
 */
export function authorNameOf(account: Named): string {
  if (account.issuer !== null) return toAuthorName(nameOf(account));
  return account.username ?? account.email ?? "unknown";
}

/** Returns the id of a person as a caller. */
export function toCallerId({ id }: Pick<Account, "id">): string {
  return `user:${id}`;
}
