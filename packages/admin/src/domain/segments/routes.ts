import { actorOf } from "../../access/request-token.ts";
import { documented } from "../../http/schemas.ts";
import type { TypedApp } from "flags-server-kit/http";
import type { Storage } from "../../storage/storage.ts";
import { assignSegments } from "./assign-segments.ts";
import {
  checkNameIsFree,
  getSegment,
  listSegments,
  listSegmentsOf,
  listStrategiesUsing,
  toSegmentView,
} from "./find-segments.ts";
import {
  SegmentBody,
  SegmentNameBody,
  SegmentParams,
  StrategyParams,
  StrategySegmentsBody,
} from "./schemas.ts";
import { createSegment, deleteSegment, updateSegment } from "./write-segments.ts";

const tag = "Segments";

/** Lists of constraints with a name, that strategies share. */
export function registerSegments(app: TypedApp, storage: Storage): void {
  registerReading(app, storage);
  registerUses(app, storage);
  registerCreating(app, storage);
  registerChanging(app, storage);
}

function registerReading(app: TypedApp, storage: Storage): void {
  app.get("/segments", { schema: documented({ tag, summary: "Lists the segments" }) }, () =>
    storage.read(async (db) => ({ segments: await listSegments(db) })),
  );

  app.get(
    "/segments/:segmentId",
    {
      schema: {
        ...documented({ tag, summary: "Shows a segment", alsoFailsWith: [400, 404] }),
        params: SegmentParams,
      },
    },
    async ({ params }) => toSegmentView(await getSegment(storage.db, Number(params.segmentId))),
  );
}

function registerUses(app: TypedApp, storage: Storage): void {
  app.get(
    "/segments/:segmentId/strategies",
    {
      schema: {
        ...documented({
          tag,
          summary: "Lists the strategies that use a segment",
          alsoFailsWith: [400],
        }),
        params: SegmentParams,
      },
    },
    async ({ params }) => ({
      strategies: await listStrategiesUsing(storage.db, Number(params.segmentId)),
      changeRequestStrategies: [],
    }),
  );

  app.get(
    "/segments/strategies/:strategyId",
    {
      schema: {
        ...documented({ tag, summary: "Lists the segments of a strategy" }),
        params: StrategyParams,
      },
    },
    async ({ params }) => ({ segments: await listSegmentsOf(storage.db, params.strategyId) }),
  );

  app.post(
    "/segments/strategies",
    {
      schema: {
        ...documented({
          tag,
          summary: "Gives a strategy these segments and no others",
          hasBody: true,
          alsoFailsWith: [404],
        }),
        body: StrategySegmentsBody,
      },
    },
    async (request, reply) => {
      await storage.write(actorOf(request), (transaction) =>
        assignSegments(transaction, request.body),
      );
      return reply.code(201).send(request.body);
    },
  );
}

function registerCreating(app: TypedApp, storage: Storage): void {
  app.post(
    "/segments",
    {
      schema: {
        ...documented({ tag, summary: "Makes a segment", hasBody: true, alsoFailsWith: [409] }),
        body: SegmentBody,
      },
    },
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
    {
      schema: {
        ...documented({
          tag,
          summary: "Tells whether a name can be given to a new segment",
          empty: 204,
          hasBody: true,
          alsoFailsWith: [409],
        }),
        body: SegmentNameBody,
      },
    },
    async ({ body }, reply) => {
      await checkNameIsFree(storage.db, body.name);
      return reply.code(204).send();
    },
  );
}

function registerChanging(app: TypedApp, storage: Storage): void {
  app.put(
    "/segments/:segmentId",
    {
      schema: {
        ...documented({
          tag,
          summary: "Replaces a segment",
          empty: 204,
          hasBody: true,
          alsoFailsWith: [404, 409],
        }),
        params: SegmentParams,
        body: SegmentBody,
      },
    },
    async (request, reply) => {
      await storage.write(actorOf(request), (transaction) =>
        updateSegment(transaction, Number(request.params.segmentId), request.body),
      );
      return reply.code(204).send();
    },
  );

  app.delete(
    "/segments/:segmentId",
    {
      schema: {
        ...documented({
          tag,
          summary: "Deletes a segment that nothing uses",
          empty: 204,
          alsoFailsWith: [400, 404, 409],
        }),
        params: SegmentParams,
      },
    },
    async (request, reply) => {
      await storage.write(actorOf(request), (transaction) =>
        deleteSegment(transaction, Number(request.params.segmentId)),
      );
      return reply.code(204).send();
    },
  );
}
