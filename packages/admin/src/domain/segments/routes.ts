import type { TypedApp } from "../../http/typed-app.ts";
import { actorOf, callerOf } from "../../access/request-identity.ts";
import { operation } from "../../access/operation.ts";
import { mustExist } from "../../errors.ts";
import type { Storage } from "../../storage/storage.ts";
import { IfMatchHeaders, withEntityTag, writeIfMatch } from "../conditional-change.ts";
import { SegmentBody, SegmentNameBody, SegmentParams, StrategyParams } from "./schemas.ts";
import {
  checkNameIsAvailable,
  createSegment,
  deleteSegment,
  editedSegment,
  listSegments,
  listSegmentsOf,
  listStrategiesUsing,
  toSegmentView,
  updateSegment,
} from "./store.ts";

const tag = "Segments";

const PROJECT_IN_BODY = {
  property: "project",
  absent: "everywhere",
  unknown: (id: string) => mustExist("/body/project", "project", id),
} as const;

/** Routes for segments: named lists of constraints that several strategies can use. */
export function registerSegments(app: TypedApp, storage: Storage): void {
  registerReading(app, storage);
  registerReferences(app, storage);
  registerCreating(app, storage);
  registerChanging(app, storage);
}

function registerReading(app: TypedApp, storage: Storage): void {
  app.get(
    "/segments",
    operation({ id: "getSegments", role: "viewer", tag, summary: "Lists the segments" }),
    (request) =>
      storage.read(async (db) => ({
        segments: await listSegments(db, callerOf(request).projects),
      })),
  );

  app.get(
    "/segments/:segmentId",
    operation({
      id: "getSegment",
      role: "viewer",
      tag,
      summary: "Shows a segment, with its ETag",
      alsoFailsWith: [400, 404],
      params: SegmentParams,
    }),
    async ({ params }, reply) => {
      const { readView } = editedSegment(Number(params.segmentId));
      return withEntityTag(reply, await readView(storage.db));
    },
  );
}

function registerReferences(app: TypedApp, storage: Storage): void {
  app.get(
    "/segments/:segmentId/strategies",
    operation({
      id: "getStrategiesBySegmentId",
      role: "viewer",
      tag,
      summary: "Lists the strategies that use a segment",
      alsoFailsWith: [400],
      findsNothing: true,
      params: SegmentParams,
    }),
    async (request) => ({
      strategies: await listStrategiesUsing(storage.db, Number(request.params.segmentId), {
        access: callerOf(request).projects,
      }),
      changeRequestStrategies: [],
    }),
  );

  app.get(
    "/segments/strategies/:strategyId",
    operation({
      id: "getSegmentsByStrategyId",
      role: "viewer",
      tag,
      summary: "Lists the segments of a strategy",
      params: StrategyParams,
    }),
    async (request) => ({
      segments: await listSegmentsOf(
        storage.db,
        request.params.strategyId,
        callerOf(request).projects,
      ),
    }),
  );
}

function registerCreating(app: TypedApp, storage: Storage): void {
  app.post(
    "/segments",
    operation({
      id: "createSegment",
      role: "editor",
      tag,
      summary: "Creates a segment",
      alsoFailsWith: [409],
      projectInBody: PROJECT_IN_BODY,
      body: SegmentBody,
    }),
    async (request, reply) => {
      const created = await storage.write(actorOf(request), (transaction) =>
        createSegment(transaction, request.body),
      );
      return reply
        .code(201)
        .header("location", `segments/${created.id}`)
        .send(toSegmentView(created));
    },
  );

  app.post(
    "/segments/validate",
    operation({
      id: "validateSegment",
      role: "viewer",
      tag,
      summary: "Checks whether a name is available for a new segment",
      empty: 204,
      alsoFailsWith: [409],
      body: SegmentNameBody,
    }),
    async ({ body }, reply) => {
      await checkNameIsAvailable(storage.db, body.name);
      return reply.code(204).send();
    },
  );
}

function registerChanging(app: TypedApp, storage: Storage): void {
  app.put(
    "/segments/:segmentId",
    operation({
      id: "updateSegment",
      role: "editor",
      tag,
      summary: "Replaces a segment",
      empty: 204,
      alsoFailsWith: [404, 409, 412],
      projectInBody: PROJECT_IN_BODY,
      headers: IfMatchHeaders,
      params: SegmentParams,
      body: SegmentBody,
    }),
    async (request, reply) => {
      const id = Number(request.params.segmentId);
      await writeIfMatch(storage, request, editedSegment(id), (transaction) =>
        updateSegment(transaction, id, request.body, callerOf(request).projects),
      );
      return reply.code(204).send();
    },
  );

  app.delete(
    "/segments/:segmentId",
    operation({
      id: "removeSegment",
      role: "editor",
      tag,
      summary: "Deletes a segment that is not in use",
      empty: 204,
      alsoFailsWith: [400, 404, 409, 412],
      headers: IfMatchHeaders,
      params: SegmentParams,
    }),
    async (request, reply) => {
      const id = Number(request.params.segmentId);
      await writeIfMatch(storage, request, editedSegment(id), (transaction) =>
        deleteSegment(transaction, id, callerOf(request).projects),
      );
      return reply.code(204).send();
    },
  );
}
