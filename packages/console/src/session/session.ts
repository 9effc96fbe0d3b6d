import { queryOptions, useQuery } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { ApiError, request } from "../api/request.ts";

/** How often an open page checks its session, and thereby whether the service and its database respond. */
const CHECK_MS = 15_000;
/** The same after a check has failed. */
const CHECK_FAILED_MS = 3000;
/** NOTE: a database that hangs does not refuse requests. */
const CHECK_TIMEOUT_MS = 10_000;

type Role = "viewer" | "editor" | "admin";

/** Who is signed in. The service keeps the secret in a cookie that scripts cannot read. */
export interface Session {
  readonly user: {
    readonly name: string;
    readonly kind: "openid" | "token" | "user";
    /** The account; null for a token. */
    readonly id: number | null;
    /** The token that was used to sign in; null for an account. */
    readonly tokenId: string | null;
    /** With the issuer, identifies a user of OpenID Connect, whose name others may have too; null for a token. */
    readonly subject: string | null;
    readonly issuer: string | null;
  };
  readonly role: Role;
  /** ISO 8601. */
  readonly expiresAt: string;
}

export interface SignInOptions {
  readonly token: boolean;
  /** Whether somebody has an account with a password. */
  readonly password: boolean;
  /** Whether nobody can sign in yet, so that the first account is to be created. */
  readonly setup: boolean;
  /** The label of the OpenID provider; null if the service has none. */
  readonly openIdConnect: { readonly name: string } | null;
}

/** The session of this browser. After its end, the error of the query is `isSignedOut()`, and the data stays as it was. */
export const sessionQuery = queryOptions({
  queryKey: ["session"],
  queryFn: () =>
    request<Session>("auth/session", { signal: AbortSignal.timeout(CHECK_TIMEOUT_MS) }),
  staleTime: 60_000,
  // No retries: the page shows a failure at once, and the next check follows soon.
  retry: false,
  refetchInterval: ({ state: { error } }) =>
    error === null || isSignedOut(error) ? CHECK_MS : CHECK_FAILED_MS,
});

/** Whether a request failed because nobody is signed in, or no longer. */
export function isSignedOut(error: unknown): boolean {
  return error instanceof ApiError && error.status === 401;
}

/**
 * Whether the session that opened the page has ended, until the same user signs in again, here or in another tab. If
 * somebody else does, reloads the page: what it shows, and what was typed, belongs to the user before.
 */
export function useHasSessionEnded(): boolean {
  const { data: session, error } = useQuery(sessionQuery);
  const [ended, setEnded] = useState<Session>();
  // NOTE: other errors can follow the end. The page must not become visible again because the network fails.
  if (ended === undefined && session !== undefined && isSignedOut(error)) setEnded(session);
  const isSignedIn = ended !== undefined && session !== undefined && error === null;
  const isOther = isSignedIn && !isSameUser(ended, session);
  if (isSignedIn && !isOther) setEnded(undefined);
  useEffect(() => {
    if (isOther) location.reload();
  }, [isOther]);
  return ended !== undefined;
}

function isSameUser(one: Session, other: Session): boolean {
  return (
    one.user.kind === other.user.kind &&
    one.user.name === other.user.name &&
    one.user.id === other.user.id &&
    one.role === other.role
  );
}

export const signInOptionsQuery = queryOptions({
  queryKey: ["sign-in-options"],
  queryFn: ({ signal }) => request<SignInOptions>("auth/options", { signal }),
});

export function signInWithToken(token: string): Promise<Session> {
  return request<Session>("auth/session", { method: "POST", body: { token } });
}

/** @param login user name or email address */
export async function signInWithPassword(login: string, password: string): Promise<Session> {
  const body = { username: login.trim(), password };
  await request("auth/simple/login", { method: "POST", body });
  return readSession();
}

/** Reads the session that another request has just started. */
export function readSession(): Promise<Session> {
  return request<Session>("auth/session");
}

export function signOut(): Promise<void> {
  return request("auth/session", { method: "DELETE" });
}

const RANKS: Readonly<Record<Role, number>> = { viewer: 0, editor: 1, admin: 2 };

/** Whether the signed-in user has a role, or one that includes it. */
export function useHasRole(required: Role): boolean {
  const { data } = useQuery(sessionQuery);
  return data !== undefined && RANKS[data.role] >= RANKS[required];
}
