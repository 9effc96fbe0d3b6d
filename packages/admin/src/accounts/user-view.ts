import type { Account } from "../access/account.ts";

/** The ids of the roles in the protocol. Scripts contain them. */
export const ROLE_IDS = { admin: 1, editor: 2, viewer: 3, owner: 4, member: 5 } as const;

/** Returns the public part of an account. */
export function toUserView(account: Account) {
  const { id, username, email, name, role, createdAt, seenAt, disabledAt, issuer } = account;
  return {
    id,
    name: name === "" ? null : name,
    username,
    email,
    rootRole: ROLE_IDS[role],
    accountType: "User" as const,
    permissions: [],
    seenAt,
    createdAt,
    disabled: disabledAt !== null,
    /** How the user signs in. */
    kind: issuer === null ? ("user" as const) : ("openid" as const),
  };
}

export type UserView = ReturnType<typeof toUserView>;

/** Returns the states of an account before and after a change, for an event. */
export function toUserStates(before: Account | undefined, after: Account | undefined) {
  return {
    ...(before !== undefined && { before: toEventState(before) }),
    ...(after !== undefined && { after: toEventState(after) }),
  };
}

/** NOTE: without times, which change all the time. With the identity, which nobody could look up after a deletion. */
function toEventState({ id, username, email, name, role, disabledAt, issuer, subject }: Account) {
  return {
    id,
    username,
    email,
    name,
    rootRole: ROLE_IDS[role],
    disabled: disabledAt !== null,
    ...(issuer !== null && { issuer, subject }),
  };
}
