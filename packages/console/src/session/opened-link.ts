import { redirect } from "@tanstack/react-router";

/** The secrets in the address of a link that opened the console. */
export interface OpenedLink {
  /** Creates the first account. */
  readonly code?: string;
  /** Chooses the password of one account. */
  readonly token?: string;
  /** Creates an account of a viewer. */
  readonly invite?: string;
}

type LinkPath = "/new-user" | "/reset-password" | "/setup";

// NOTE: only here, in no storage and no history, so that they are gone when the page is closed.
const opened = new Map<LinkPath, OpenedLink>();

/** Moves the secret of a link out of the address, so that neither the screen nor the history of the browser shows it. */
export function openLink(
  path: LinkPath,
  { hash, searchStr }: { readonly hash: string; readonly searchStr: string },
): OpenedLink {
  const link = readLink(path, hash, new URLSearchParams(searchStr));
  if (link === undefined) return opened.get(path) ?? {};
  opened.set(path, link);
  redirect({ to: path, replace: true, throw: true });
  return link;
}

function readLink(path: LinkPath, hash: string, search: URLSearchParams): OpenedLink | undefined {
  if (path === "/setup") return hash === "" ? undefined : { code: hash };
  const token = search.get("token");
  if (token !== null) return { token };
  const invite = search.get("invite");
  return invite === null || path !== "/new-user" ? undefined : { invite };
}
