import { randomUUID } from "node:crypto";
import { eq } from "drizzle-orm";
import { type Static, Type } from "typebox";
import { operation } from "../access/operation.ts";
import { actorOf, callerOf } from "../access/request-identity.ts";
import { badData, invalidOperation } from "../errors.ts";
import { OptionalText, parsePage } from "../http/parse-filter.ts";
import type { TypedApp } from "../http/typed-app.ts";
import { type Database, databaseTime, firstRow } from "../storage/database.ts";
import { addons } from "../storage/schema/notifications.ts";
import type { Storage } from "../storage/storage.ts";
import {
  type AddonSettings,
  createAddon,
  deleteAddon,
  getAddon,
  getProvider,
  rotateSecret,
  unmask,
  updateAddon,
} from "./addon-store.ts";
import { viewAddons, viewProviders } from "./addon-view.ts";
import { checkTarget } from "./check-target.ts";
import { deliverNotice, type DeliverOptions } from "./deliver.ts";
import { readLog, resend } from "./log.ts";
import { sampleNotice } from "./sample-notice.ts";
import {
  AddonParams,
  AddonResponse,
  AddonsResponse,
  CreateAddonBody,
  CreatedAddonResponse,
  IntegrationEventsResponse,
  NotificationParams,
  RotatedSecretResponse,
  TestResponse,
  UpdateAddonBody,
} from "./schemas.ts";

export interface NotificationRoutesOptions extends DeliverOptions {
  readonly storage: Storage;
  /** @default that of the database */
  readonly clock?: ((db: Database) => Promise<Date>) | undefined;
  /** Sends what is due now. */
  readonly sendDue: () => void;
}

const common = { role: "admin", tag: "Addons" } as const;
const ADDON = "/addons/:addonId";

/** Routes for notifications, which the upstream API calls addons. */
export function registerNotifications(app: TypedApp, options: NotificationRoutesOptions): void {
  registerReading(app, options);
  registerSaving(app, options);
  registerActions(app, options);
}

function registerReading(app: TypedApp, { storage }: NotificationRoutesOptions): void {
  app.get(
    "/addons",
    operation({
      id: "getAddons",
      ...common,
      summary: "Lists where notifications are sent, and the kinds of receivers",
      returns: AddonsResponse,
    }),
    async () => ({ addons: await viewAddons(storage.db), providers: viewProviders() }),
  );

  app.get(
    ADDON,
    operation({
      id: "getAddon",
      ...common,
      summary: "Shows where notifications are sent",
      alsoFailsWith: [404],
      params: AddonParams,
      returns: AddonResponse,
    }),
    ({ params }) => readAddon(storage.db, Number(params.addonId)),
  );

  app.get(
    `${ADDON}/events`,
    operation({
      id: "getIntegrationEvents",
      ...common,
      summary: "Lists the notifications of the last 30 days, the newest first",
      alsoFailsWith: [404],
      params: AddonParams,
      querystring: Type.Object({ limit: OptionalText, offset: OptionalText }),
      returns: IntegrationEventsResponse,
    }),
    async ({ params, query }) => {
      const page = parsePage(query, { defaultLimit: 50, maxLimit: 100 });
      return { integrationEvents: await readLog(storage.db, Number(params.addonId), page) };
    },
  );
}

async function readAddon(db: Database, id: number) {
  await getAddon(db, id);
  return firstRow(await viewAddons(db, eq(addons.id, id)));
}

function registerSaving(app: TypedApp, options: NotificationRoutesOptions): void {
  const { storage } = options;
  app.post(
    "/addons",
    operation({
      id: "createAddon",
      ...common,
      summary:
        "Sends notifications of events to a receiver. Only this response contains the secret",
      body: CreateAddonBody,
      returns: CreatedAddonResponse,
    }),
    async (request, reply) => {
      const { provider: name, ...body } = request.body;
      const settings = { description: null, projects: [], environments: [], ...toSettings(body) };
      await checkTarget(getProvider(name), settings.parameters, options);
      const { id, secret } = await storage.write(actorOf(request), (transaction) =>
        createAddon(transaction, name, settings),
      );
      return reply
        .header("cache-control", "no-store")
        .send({ ...(await readAddon(storage.db, id)), ...(secret !== null && { secret }) });
    },
  );

  app.put(
    ADDON,
    operation({
      id: "updateAddon",
      ...common,
      summary: "Changes where notifications are sent. What is omitted stays as it is",
      alsoFailsWith: [404],
      params: AddonParams,
      body: UpdateAddonBody,
      returns: AddonResponse,
    }),
    async (request) => {
      const { params, body } = request;
      const { provider: name, ...changes } = body;
      const stored = await getAddon(storage.db, Number(params.addonId));
      if (name !== undefined && name !== stored.provider) {
        throw badData(
          "/body/provider",
          `must stay ${stored.provider}: create another notification`,
        );
      }
      const parameters = unmask(changes.parameters, stored);
      await checkTarget(getProvider(stored.provider), parameters, options);
      await storage.write(actorOf(request), (transaction) =>
        updateAddon(transaction, Number(params.addonId), toSettings(changes)),
      );
      options.sendDue();
      return readAddon(storage.db, Number(params.addonId));
    },
  );

  app.delete(
    ADDON,
    operation({
      id: "deleteAddon",
      ...common,
      summary: "Stops sending notifications to a receiver, and deletes what was recorded of them",
      empty: 200,
      alsoFailsWith: [404],
      params: AddonParams,
    }),
    async (request, reply) => {
      await storage.write(actorOf(request), (transaction) =>
        deleteAddon(transaction, Number(request.params.addonId)),
      );
      return reply.send();
    },
  );
}

function registerActions(app: TypedApp, options: NotificationRoutesOptions): void {
  const { storage, clock = databaseTime, sendDue, publicUrl } = options;
  app.post(
    `${ADDON}/test`,
    operation({
      id: "testAddon",
      ...common,
      summary: "Sends a test message, and returns what became of it",
      alsoFailsWith: [404],
      params: AddonParams,
      returns: TestResponse,
    }),
    async (request) => {
      const addon = await getAddon(storage.db, Number(request.params.addonId));
      const notice = sampleNotice(publicUrl, callerOf(request).name);
      const message = { messageId: randomUUID(), now: await clock(storage.db) };
      const { isSuccess, status, durationMs, reason } = await deliverNotice(
        addon,
        notice,
        message,
        options,
      );
      return { state: isSuccess ? "success" : "failed", status, durationMs, reason };
    },
  );

  app.post(
    `${ADDON}/events/:eventId/resend`,
    operation({
      id: "resendIntegrationEvent",
      ...common,
      summary: "Sends a notification again",
      empty: 202,
      alsoFailsWith: [404],
      params: NotificationParams,
    }),
    async ({ params }, reply) => {
      const { enabled } = await getAddon(storage.db, Number(params.addonId));
      if (!enabled) throw invalidOperation("The notification is turned off: turn it on first");
      const now = await clock(storage.db);
      await storage.transact((db) =>
        resend(db, Number(params.addonId), Number(params.eventId), now),
      );
      sendDue();
      return reply.code(202).send();
    },
  );

  app.post(
    `${ADDON}/rotate-secret`,
    operation({
      id: "rotateAddonSecret",
      ...common,
      summary: "Replaces the secret of signatures. For a day, both secrets verify them",
      alsoFailsWith: [404],
      params: AddonParams,
      returns: RotatedSecretResponse,
    }),
    async (request, reply) => {
      const now = await clock(storage.db);
      const rotated = await storage.write(actorOf(request), (transaction) =>
        rotateSecret(transaction, Number(request.params.addonId), now),
      );
      return reply.header("cache-control", "no-store").send(rotated);
    },
  );
}

/** Returns the given settings. */
function toSettings(
  body: Omit<Static<typeof UpdateAddonBody>, "provider">,
): Partial<AddonSettings> & Pick<AddonSettings, "enabled" | "events" | "parameters"> {
  const { enabled, parameters, events, description, projects, environments } = body;
  return {
    enabled,
    parameters,
    events,
    ...(description !== undefined && { description }),
    ...(projects !== undefined && { projects }),
    ...(environments !== undefined && { environments }),
  };
}
