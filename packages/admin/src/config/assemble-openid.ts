import { nameSetting, type Resolution } from "flags-server-kit";
import { ROLES } from "../access/role.ts";
import type { OpenIdConfig } from "../openid/openid-config.ts";
import { isSecureUrl } from "./public-url.ts";
import { SETTINGS, type Settings, type Values } from "./settings.ts";

const REQUIRED = ["oidcIssuer", "oidcClientId", "oidcClientSecret", "publicUrl"] as const;

/** Returns why users cannot sign in with OpenID Connect although it is configured. */
export function findOpenIdProblems(values: Values): readonly string[] {
  const { oidcIssuer, oidcClientId, oidcClientSecret, publicUrl } = values;
  if ([oidcIssuer, oidcClientId, oidcClientSecret].every((value) => value === undefined)) return [];
  const missing = REQUIRED.filter((name) => values[name] === undefined);
  const problems = missing.map(
    (name) => `${nameSetting(SETTINGS[name])} is required for OpenID Connect`,
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
    defaultRole: oidcDefaultRole === "none" ? undefined : oidcDefaultRole,
  });
}
