import type { FastifyRequest } from "fastify";
import type { TypedApp } from "../http/typed-app.ts";
import type { Sessions } from "../sessions/sessions.ts";
import type { Storage } from "../storage/storage.ts";
import { registerRoles } from "./role-routes.ts";
import { registerInviteLinks } from "./invite-link-routes.ts";
import { toPageUrl } from "./page-url.ts";
import { registerOwnAccount } from "./own-account-routes.ts";
import type { PasswordSignIn } from "./password-sign-in.ts";
import { registerUserAdmin } from "./user-admin-routes.ts";

interface AccountRoutesOptions {
  readonly storage: Storage;
  readonly sessions: Sessions;
  readonly passwords: PasswordSignIn;
  /** Address at which browsers reach the service; undefined if it is not known. */
  readonly publicUrl: string | undefined;
}

/** Registers the routes of the admin API that are about people. */
export function registerAccounts(app: TypedApp, options: AccountRoutesOptions): void {
  const { storage, publicUrl } = options;
  const pageUrl = ({ protocol, host }: FastifyRequest, path: string): string =>
    toPageUrl(publicUrl ?? `${protocol}://${host}`, path);
  registerUserAdmin(app, { storage, pageUrl });
  registerInviteLinks(app, { storage, pageUrl });
  registerOwnAccount(app, options);
  registerRoles(app, storage);
}
