import type { FastifyRequest } from "fastify";
import { operation } from "../access/operation.ts";
import { actorOf } from "../access/request-identity.ts";
import type { TypedApp } from "../http/typed-app.ts";
import type { Storage } from "../storage/storage.ts";
import {
  createInviteLink,
  getInviteLink,
  type InviteLink,
  listInviteLinks,
  updateInviteLink,
  viewInviteLinks,
} from "./invite-links.ts";
import { CreateInviteLinkBody, SecretParams, UpdateInviteLinkBody } from "./schemas.ts";

const tag = "Invite links";

interface InviteLinkOptions {
  readonly storage: Storage;
  /** Returns the address of a page of the console, as users of this request reach it. */
  readonly pageUrl: (request: FastifyRequest, path: string) => string;
}

/** Manages the links with which several people create accounts of viewers. */
export function registerInviteLinks(app: TypedApp, { storage, pageUrl }: InviteLinkOptions): void {
  const view = async (link: InviteLink) => (await viewInviteLinks(storage.db, [link]))[0];
  app.get(
    "/invite-link/tokens",
    operation({
      id: "getAllPublicSignupTokens",
      role: "admin",
      tag,
      summary: "Lists the invite links, and who has used them, without their secrets",
    }),
    () =>
      storage.read(async (db) => ({
        tokens: await viewInviteLinks(db, await listInviteLinks(db)),
      })),
  );
  app.post(
    "/invite-link/tokens",
    operation({
      id: "createPublicSignupToken",
      role: "admin",
      tag,
      summary: "Creates an invite link for at most a month. Only this response contains its secret",
      body: CreateInviteLinkBody,
    }),
    async (request, reply) => {
      const { link, secret } = await storage.write(actorOf(request), (transaction) =>
        createInviteLink(transaction, request.body),
      );
      const url = pageUrl(request, `/new-user?invite=${secret}`);
      return reply
        .code(201)
        .headers({ location: link.id, "cache-control": "no-store" })
        .send({ ...(await view(link)), secret, url });
    },
  );
  app.get(
    "/invite-link/tokens/:secret",
    operation({
      id: "getPublicSignupToken",
      role: "admin",
      tag,
      summary: "Shows an invite link, by its id or its secret",
      alsoFailsWith: [404],
      params: SecretParams,
    }),
    async (request) => view(await getInviteLink(storage.db, request.params.secret)),
  );
  app.put(
    "/invite-link/tokens/:secret",
    operation({
      id: "updatePublicSignupToken",
      role: "admin",
      tag,
      summary: "Enables or disables an invite link, or changes when it expires",
      alsoFailsWith: [404],
      params: SecretParams,
      body: UpdateInviteLinkBody,
    }),
    async (request) => {
      const { expiresAt, enabled } = request.body;
      const link = await storage.write(actorOf(request), (transaction) =>
        updateInviteLink(transaction, request.params.secret, {
          ...(expiresAt !== undefined && { expiresAt }),
          ...(enabled !== undefined && { enabled }),
        }),
      );
      return view(link);
    },
  );
}
