import { Type } from "typebox";
import { operation } from "../access/operation.ts";
import { toPerformer } from "../access/performer.ts";
import { actorOf, callerOf } from "../access/request-identity.ts";
import { FeatureParams, toFeatureAddress } from "../domain/schemas.ts";
import { bodyObject } from "../http/schemas.ts";
import type { TypedApp } from "../http/typed-app.ts";
import { toEventView } from "../storage/event-view.ts";
import type { Storage, WriteTransaction } from "../storage/storage.ts";
import { writeAndRollBack } from "../storage/write-and-roll-back.ts";
import { restoreFeature } from "./restore-feature.ts";

const RestoreBody = bodyObject("restoreFeatureSchema", {
  eventId: Type.Integer({
    minimum: 1,
    description: "Id of an event of the flag. The state after it is restored",
  }),
  before: Type.Optional(
    Type.Boolean({ description: "true: restores the state before the event instead" }),
  ),
  environment: Type.Optional(
    Type.String({ description: "Restores only what belongs to this environment" }),
  ),
});

const RestoreQuery = Type.Object({
  dryRun: Type.Optional(
    Type.Unsafe<"false" | "true">({
      type: "string",
      enum: ["true", "false"],
      description: "true: changes nothing, and returns what it would change",
    }),
  ),
});

/** The route that restores an earlier state of a flag. */
export function registerRestore(app: TypedApp, storage: Storage): void {
  app.post(
    "/projects/:projectId/features/:feature/restore",
    operation({
      id: "restoreFeature",
      role: "editor",
      tag: "Features",
      summary: "Restores the state that a flag had after or before an event",
      description:
        "Restores whether it is archived and on, its settings, strategies, variants and dependency. Tags and the project stay. Returns the changes, in the form in which change requests accept them.",
      alsoFailsWith: [404, 409],
      params: FeatureParams,
      querystring: RestoreQuery,
      body: RestoreBody,
    }),
    async (request) => {
      const { eventId, before = false, environment } = request.body;
      const work = (transaction: WriteTransaction) =>
        restoreFeature(transaction, toFeatureAddress(request.params), {
          eventId,
          before,
          environment,
          performer: toPerformer(callerOf(request)),
        });
      const changes = await (request.query.dryRun === "true"
        ? writeAndRollBack(storage, actorOf(request), work)
        : storage.write(actorOf(request), work));
      return {
        changes: changes.map(({ events, ...change }) => ({
          ...change,
          events: events.map(toEventView),
        })),
      };
    },
  );
}
