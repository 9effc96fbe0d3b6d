import { expect } from "vitest";
import { ADMIN_TOKEN, type Service } from "./_service.ts";

/** The header with which browsers mark requests of the pages of this service. */
export const FROM_PAGE = { "sec-fetch-site": "same-origin" } as const;

interface SessionBody {
  readonly user: { readonly name: string; readonly kind: string };
  readonly role: string;
  readonly expiresAt: string;
}

/** A user who is signed in, as a browser sees it. */
interface SignedIn {
  readonly body: SessionBody;
  /** The header with the cookie of the session. */
  readonly cookie: { readonly cookie: string };
  /** The `Set-Cookie` header. */
  readonly setCookie: string;
}

/** Sends a request to sign in. */
export function requestSession(
  service: Pick<Service, "request">,
  token: string = ADMIN_TOKEN,
  headers: Readonly<Record<string, string>> = {},
): Promise<Response> {
  return service.request("/auth/session", {
    method: "POST",
    body: { token },
    headers: { ...FROM_PAGE, ...headers },
  });
}

/** Signs in as a page of the console does. */
export async function signIn(
  service: Pick<Service, "request">,
  token: string = ADMIN_TOKEN,
  headers: Readonly<Record<string, string>> = {},
): Promise<SignedIn> {
  const response = await requestSession(service, token, headers);
  const text = await response.text();
  expect([response.status, text]).toEqual([201, text]);
  const [setCookie = ""] = response.headers.getSetCookie();
  return { body: JSON.parse(text) as SessionBody, setCookie, cookie: toCookie(setCookie) };
}

/** Returns the header with which a browser sends a cookie back. */
export function toCookie(setCookie: string): { readonly cookie: string } {
  return { cookie: setCookie.split(";", 1)[0] ?? "" };
}
