import type { Role } from "../access/role.ts";

/** How users sign in with an OpenID provider. */
export interface OpenIdConfig {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** Address at which browsers reach this service, with a slash at its end. */
  readonly publicUrl: string;
  /** Name of the provider for users. */
  readonly name: string;
  /** Scopes to request, separated by spaces. */
  readonly scope: string;
  /** Name of the claim with the roles of a user, or the path to it. */
  readonly roleClaim: string;
  /** Roles by value of the claim. */
  readonly roles: ReadonlyMap<string, Role>;
  /** Role of users without such a value; undefined if they may not sign in. */
  readonly defaultRole: Role | undefined;
}
