import type { FastifyInstance, FastifyRequest } from "fastify";
import { toActor } from "../access/request-identity.ts";
import { ApiError } from "../errors.ts";
import type { Sessions } from "../sessions/sessions.ts";
import type { Storage } from "../storage/storage.ts";
import type { Limit } from "./limit-failures.ts";
import { findLink, useLink } from "./user-links.ts";

interface SignInLinkOptions {
  readonly storage: Storage;
  readonly sessions: Sessions;
}

/**
 * Registers the address of links that sign their user in, once. It leads to the console, so that a link works in any browser.
 * NOTE: not for `HEAD`, with which programs look at links in messages.
 */
export function registerSignInLink(
  app: FastifyInstance,
  { storage, sessions }: SignInLinkOptions,
  limit: Limit,
): void {
  app.get(
    "/auth/link",
    { exposeHeadRoute: false, schema: { hide: true } },
    async (request, reply) => {
      try {
        const secret = readSecret(request);
        const { account } = await limit(request, () => findLink(storage.db, secret, "sign in"));
        await storage.write(toActor({ id: "", name: "", account }), (transaction) =>
          useLink(transaction, secret, "sign in"),
        );
        await sessions.start(request, reply, { user: { account } });
      } catch (error) {
        if (!(error instanceof ApiError) || error.statusCode >= 500) throw error;
        // Browsers open an address again, for example after a restart.
        if (!(await isSignedIn(sessions, request)))
          return reply.redirect("../sign-in?problem=link");
      }
      return reply.redirect("../");
    },
  );
}

function readSecret({ query }: FastifyRequest): string {
  const { token } = query as { readonly token?: unknown };
  return typeof token === "string" ? token : "";
}

async function isSignedIn(sessions: Sessions, request: FastifyRequest): Promise<boolean> {
  return (await sessions.find(request).catch(() => undefined)) !== undefined;
}
