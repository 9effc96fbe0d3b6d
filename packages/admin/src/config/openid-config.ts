import { isSecureUrl } from "flags-server-kit/command-line";
import { nameSetting, type Resolution } from "flags-server-kit";
import { type Role, ROLES } from "../access/role.ts";
import type { ProjectRoleOfClaim } from "./openid-settings.ts";
import { SETTINGS, type Settings, type Values } from "./settings.ts";

/** How users sign in with an OpenID provider. */
export interface OpenIdConfig {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** Address at which browsers reach this service, with a trailing slash. */
  readonly publicUrl: string;
  /** Name of the provider for users. */
  readonly name: string;
  /** Scopes to request, separated by spaces. */
  readonly scope: string;
  /** Name of the claim with the roles of a user, or the path to it. */
  readonly roleClaim: string;
  /** Roles by value of the claim. */
  readonly roles: ReadonlyMap<string, Role>;
  /** Roles in projects by value of the claim. */
  readonly projectRoles: readonly ProjectRoleOfClaim[];
  /** Role of users without such a value; undefined if they may not sign in. */
  readonly defaultRole: Role | undefined;
}

/** If one of these is set, users sign in with OpenID Connect. */
const PROVIDER = ["oidcIssuer", "oidcClientId", "oidcClientSecret"] as const;

const REQUIRED = [...PROVIDER, "publicUrl"] as const;

/** Returns why users cannot sign in with OpenID Connect although it is configured. */
export function findOpenIdProblems(values: Values): readonly string[] {
  const { publicUrl } = values;
  const given = PROVIDER.find((name) => values[name] !== undefined);
  if (given === undefined) return [];
  const missing = REQUIRED.filter((name) => values[name] === undefined);
  const problems = missing.map(
    (name) => `${nameSetting(SETTINGS[name])} is required with ${nameSetting(SETTINGS[given])}`,
  );
  if (publicUrl !== undefined && !isSecureUrl(new URL(publicUrl))) {
    problems.push(
      "PUBLIC_URL must be an https URL for OpenID Connect; http is allowed only for this machine",
    );
  }
  return problems;
}

const OPTIONAL = [
  "oidcName",
  "oidcScopes",
  "oidcRoleClaim",
  "oidcRoles",
  "oidcProjectRoles",
  "oidcDefaultRole",
] as const;

/** Returns a message for each setting that has no effect, because OpenID Connect is not configured. */
export function findUnusedOpenId({ origins }: Resolution<Settings>): readonly string[] {
  if (origins.has("oidcIssuer")) return [];
  return OPTIONAL.filter((name) => origins.has(name)).map(
    (name) => `${nameSetting(SETTINGS[name])} has no effect without OIDC_ISSUER`,
  );
}

/** Returns the configuration of OpenID Connect; undefined if users cannot sign in with it. */
export function toOpenIdConfig(values: Values): OpenIdConfig | undefined {
  const { oidcIssuer, oidcClientId, oidcClientSecret, publicUrl, oidcDefaultRole } = values;
  if (oidcIssuer === undefined || oidcClientId === undefined) return undefined;
  if (oidcClientSecret === undefined || publicUrl === undefined) return undefined;
  const roles = values.oidcRoles ?? ROLES.map((role) => ({ value: role, role }));
  return Object.freeze({
    issuer: oidcIssuer,
    clientId: oidcClientId,
    clientSecret: oidcClientSecret,
    publicUrl,
    name: values.oidcName,
    scope: [...new Set(["openid", ...values.oidcScopes.split(/ +/)])].join(" "),
    roleClaim: values.oidcRoleClaim,
    roles: new Map(roles.map(({ value, role }) => [value, role])),
    projectRoles: values.oidcProjectRoles,
    defaultRole: oidcDefaultRole === "none" ? undefined : oidcDefaultRole,
  });
}
