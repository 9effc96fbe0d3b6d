import {
  createChoiceKind,
  createListKind,
  createTextKind,
  InvalidValue,
  isSecureUrl,
  SettingGroup,
  textKind,
  toHttpUrl,
} from "flags-server-kit/command-line";
import { isRole, type Role, ROLES } from "../access/role.ts";

const openId = new SettingGroup("OpenID Connect");

/** A value of the roles claim, and the corresponding role. */
export interface RoleOfClaim {
  readonly value: string;
  readonly role: Role;
}

const issuerKind = createTextKind(
  "an https URL without a query; http is allowed only for this machine",
  (text) => {
    const url = toHttpUrl(text);
    const isValid = url !== undefined && url.search === "" && url.hash === "" && isSecureUrl(url);
    return isValid && url.username === "" && url.password === "" ? text : new InvalidValue();
  },
);

const rolesKind = createListKind<RoleOfClaim>({
  of: "claim values with their roles, such as flags-admins:admin",
  parseEntry: (text) => {
    const colon = text.lastIndexOf(":");
    const [value, role] = [text.slice(0, Math.max(0, colon)).trim(), text.slice(colon + 1).trim()];
    if (value === "" || !isRole(role)) {
      return new InvalidValue("must have the form value:role, with admin, editor or viewer");
    }
    return { value, role };
  },
});

/** A value of the roles claim, and the corresponding role in a project. */
export interface ProjectRoleOfClaim {
  readonly value: string;
  readonly project: string;
  readonly role: "member" | "owner";
}

const projectRolesKind = createListKind<ProjectRoleOfClaim>({
  of: "claim values with a project and a role, such as checkout-team:checkout:member",
  parseEntry: (text) => {
    const [, value = "", project = "", role] =
      /^(.*\S)\s*:\s*([^:\s]+)\s*:\s*(member|owner)$/.exec(text.trim()) ?? [];
    if (role !== "member" && role !== "owner") {
      return new InvalidValue("must have the form value:project:role, with member or owner");
    }
    return { value, project, role };
  },
});

/** The settings of OpenID Connect. Users can sign in with it if OIDC_ISSUER is set. */
export const OPENID_SETTINGS = {
  oidcIssuer: openId.variable("OIDC_ISSUER", {
    kind: issuerKind,
    description:
      "URL of the OpenID provider with which console users sign in. Requires OIDC_CLIENT_ID, OIDC_CLIENT_SECRET and PUBLIC_URL.",
  }),
  oidcClientId: openId.variable("OIDC_CLIENT_ID", {
    kind: textKind,
    description: "Id under which this service is registered with the provider.",
  }),
  oidcClientSecret: openId.variable("OIDC_CLIENT_SECRET", {
    kind: textKind,
    secret: true,
    description: "Secret that the provider has issued for this service.",
  }),
  oidcName: openId.variable("OIDC_NAME", {
    kind: textKind,
    default: "OpenID Connect",
    description: "Name of the provider on the page where users sign in.",
  }),
  oidcScopes: openId.variable("OIDC_SCOPES", {
    kind: createTextKind("scopes separated by spaces", (text) =>
      /^[\x21\x23-\x5B\x5D-\x7E]+(?: +[\x21\x23-\x5B\x5D-\x7E]+)*$/.test(text)
        ? text
        : new InvalidValue(),
    ),
    default: "openid profile email",
    description: "Scopes to request, separated by spaces. openid is always requested.",
  }),
  oidcRoleClaim: openId.variable("OIDC_ROLE_CLAIM", {
    kind: textKind,
    default: "roles",
    description:
      "Claim that contains a user's roles, as a string or a list. For a nested claim, a path such as realm_access.roles.",
  }),
  oidcRoles: openId.variable("OIDC_ROLES", {
    kind: rolesKind,
    defaultText: ROLES.map((role) => `${role}:${role}`).join(","),
    description:
      "The role for each value of the claim, for example flags-team:editor,operations:admin. If several match, the highest role applies.",
  }),
  oidcProjectRoles: openId.variable("OIDC_PROJECT_ROLES", {
    kind: projectRolesKind,
    default: [],
    defaultText: "none",
    description:
      "The role in a project for each value of the claim, for example checkout-team:checkout:member,leads:checkout:owner. Replaced at every sign-in; roles that owners have given stay.",
  }),
  oidcDefaultRole: openId.variable("OIDC_DEFAULT_ROLE", {
    kind: createChoiceKind([...ROLES, "none"]),
    // NOTE: with many providers, anyone can have an account.
    default: "none",
    description:
      "Role of users without any of the values of OIDC_ROLES: viewer, editor, admin or none. With none, they cannot sign in, unless an admin has given them a role.",
  }),
};
