import { expect } from "vitest";
import type { Service } from "./_service.ts";
import { FROM_PAGE, toCookie } from "./_sessions.ts";

export const PASSWORD = "a pear on the lake";

export interface TestUser {
  readonly id: number;
  readonly username: string;
}

/** Creates an account with the password of the tests. */
export async function createUser(
  service: Pick<Service, "admin">,
  username: string,
  rootRole: "Admin" | "Editor" | "Viewer" = "Viewer",
): Promise<TestUser> {
  return (await service.admin("POST", "/user-admin", {
    username,
    password: PASSWORD,
    rootRole,
  })) as TestUser;
}

/** Sends a request to sign in with a password. */
export function requestLogin(
  service: Pick<Service, "request">,
  username: string,
  password: string = PASSWORD,
  headers: Readonly<Record<string, string>> = {},
): Promise<Response> {
  return service.request("/auth/simple/login", {
    method: "POST",
    body: { username, password },
    headers,
  });
}

/** Signs in with a password. Returns the headers of a page of the console. */
export async function logIn(
  service: Pick<Service, "request">,
  username: string,
  password: string = PASSWORD,
): Promise<Readonly<Record<string, string>>> {
  const response = await requestLogin(service, username, password);
  expect([response.status, await response.clone().text()]).toEqual([200, expect.any(String)]);
  return { ...toCookie(response.headers.getSetCookie()[0] ?? ""), ...FROM_PAGE };
}

/** Returns the secret in the address of a page, such as `…/new-user?token=…`. */
export function secretIn(url: unknown): string {
  return new URL(String(url)).search.replace(/^\?\w+=/, "");
}
