import { ROLES } from "../access/role.ts";
import type { OpenIdIdentity } from "../accounts/openid-account.ts";
import type { OpenIdConfig } from "../config/openid-config.ts";

/** The claims of the provider about a user. */
export type Claims = Readonly<Record<string, unknown>>;

/** Finds a claim by its name, or by a path such as `realm_access.roles`. */
export function findClaim(claims: Claims, nameOrPath: string): unknown {
  if (Object.hasOwn(claims, nameOrPath)) return claims[nameOrPath];
  let value: unknown = claims;
  for (const name of nameOrPath.split(".")) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, name))
      return undefined;
    value = (value as Claims)[name];
  }
  return value;
}

/** Returns the highest role that the claims name, and the roles in projects that they name. */
export function readRoles(
  claims: Claims,
  { roleClaim, roles, projectRoles }: Pick<OpenIdConfig, "projectRoles" | "roleClaim" | "roles">,
): Pick<OpenIdIdentity, "projectRoles" | "role"> {
  const values = [findClaim(claims, roleClaim)].flat();
  const found = new Set(
    values.map((value) => (typeof value === "string" ? roles.get(value) : undefined)),
  );
  return {
    role: ROLES.findLast((role) => found.has(role)),
    projectRoles: projectRoles.filter(({ value }) => values.includes(value)),
  };
}

const MAX_EMAIL_LENGTH = 254;

/** Returns the email address of a user, which nobody has verified. */
export function readEmail({ email }: Claims): string | null {
  const text = typeof email === "string" ? toOneLine(email, MAX_EMAIL_LENGTH) : "";
  return text === "" ? null : text;
}

/** Names that identify one person come first, because events record the name. */
const NAME_CLAIMS = ["preferred_username", "email", "name", "sub"] as const;

const MAX_NAME_LENGTH = 100;

/** Returns the name of a user for events and the console. */
export function readName(claims: Claims): string {
  for (const claim of NAME_CLAIMS) {
    const value = claims[claim];
    const name = typeof value === "string" ? toOneLine(value, MAX_NAME_LENGTH) : "";
    if (name !== "") return name;
  }
  return "unknown";
}

/** Removes control characters, which logs and the database do not accept, and shortens a string. */
export function toOneLine(text: string, maxLength: number): string {
  const visible = text.replaceAll(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]+/gu, " ").trim();
  return Array.from(visible).slice(0, maxLength).join("");
}
