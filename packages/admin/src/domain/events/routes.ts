import { Readable } from "node:stream";
import type { TypedApp } from "../../http/typed-app.ts";
import { Type } from "typebox";
import { callerOf } from "../../access/request-identity.ts";
import { operation } from "../../access/operation.ts";
import { closedObject } from "../../http/schemas.ts";
import { parsePage } from "../../http/parse-filter.ts";
import type { Storage } from "../../storage/storage.ts";
import { getProject } from "../projects/store.ts";
import { FeatureNameParams, ProjectParams } from "../schemas.ts";
import { readAllEvents, toCsvDocument, toJsonDocument } from "./export-events.ts";
import { findEvents } from "./find-events.ts";
import { listAuthors, listFlagCreators } from "./list-authors.ts";
import {
  EventExportQuery,
  EventListQuery,
  EventSearchQuery,
  parseEventList,
  parseEventSearch,
} from "./parse-query.ts";

const tag = "Events";

const Creator = closedObject("creatorSchema", {
  id: Type.Integer({
    description: "-42 for all tokens, -43 for all users of OpenID Connect, -1337 for the service",
  }),
  name: Type.String({ description: "What the filter createdBy accepts" }),
});
const EventCreatorsResponse = Type.Array(Creator, { title: "eventCreatorsSchema" });
const FlagCreatorsResponse = Type.Array(Creator, { title: "projectFlagCreatorsSchema" });

/** Routes for the record of changes and their authors. */
export function registerEvents(app: TypedApp, storage: Storage): void {
  registerSearch(app, storage);
  registerExport(app, storage);
  registerAuthors(app, storage);
  registerLists(app, storage);
}

function registerSearch(app: TypedApp, storage: Storage): void {
  app.get(
    "/search/events",
    operation({
      id: "searchEvents",
      role: "viewer",
      tag,
      summary: "Searches the events, newest first",
      alsoFailsWith: [400],
      querystring: EventSearchQuery,
    }),
    (request, { raw }) => {
      const { query } = request;
      const filter = { ...parseEventSearch(query), access: callerOf(request).projects };
      const page = parsePage(query, { defaultLimit: 50, maxLimit: 1000 });
      return findEvents(storage, filter, page, { isCancelled: () => raw.destroyed });
    },
  );
}

function registerExport(app: TypedApp, storage: Storage): void {
  app.get(
    "/search/events/export",
    operation({
      id: "exportEvents",
      role: "viewer",
      tag,
      summary: "Returns all events that a search finds, newest first, as a file: JSON or CSV",
      alsoFailsWith: [400],
      querystring: EventExportQuery,
    }),
    async (request, reply) => {
      const { format = "json" } = request.query;
      const filter = { ...parseEventSearch(request.query), access: callerOf(request).projects };
      const { raw } = reply;
      const pages = readAllEvents(storage, filter, { isCancelled: () => raw.destroyed });
      // A request that fails before the first page gets an error, and not the beginning of a file.
      const first = await pages.next();
      const all = (async function* () {
        if (!first.done) yield first.value;
        yield* pages;
      })();
      const isCsv = format === "csv";
      const day = new Date().toISOString().slice(0, 10);
      return reply
        .type(isCsv ? "text/csv; charset=utf-8" : "application/json; charset=utf-8")
        .header("content-disposition", `attachment; filename="events-${day}.${format}"`)
        .send(Readable.from(isCsv ? toCsvDocument(all) : toJsonDocument(all)));
    },
  );
}

function registerAuthors(app: TypedApp, storage: Storage): void {
  app.get(
    "/event-creators",
    operation({
      id: "getEventCreators",
      role: "viewer",
      tag,
      summary: "Lists the authors of events, whose names the filter createdBy accepts",
      returns: EventCreatorsResponse,
    }),
    (request) => storage.read((db) => listAuthors(db, callerOf(request).projects)),
  );

  app.get(
    "/projects/:projectId/flag-creators",
    operation({
      id: "getProjectFlagCreators",
      role: "viewer",
      tag: "Projects",
      summary: "Lists who created the flags of a project",
      returns: FlagCreatorsResponse,
      alsoFailsWith: [404],
      params: ProjectParams,
    }),
    ({ params }) =>
      storage.read(async (db) => {
        await getProject(db, params.projectId);
        return listFlagCreators(db, params.projectId);
      }),
  );
}

function registerLists(app: TypedApp, storage: Storage): void {
  app.get(
    "/events",
    operation({
      id: "getEvents",
      role: "viewer",
      tag,
      summary: "Lists the events, newest first",
      querystring: EventListQuery,
    }),
    async (request) => {
      const { query } = request;
      const page = parsePage(query, { defaultLimit: 100, maxLimit: 1000 });
      const filter = { ...parseEventList(query), access: callerOf(request).projects };
      const { events, total } = await findEvents(storage, filter, page);
      return { version: 1, events, totalEvents: total };
    },
  );

  app.get(
    "/events/:feature",
    operation({
      id: "getEventsForToggle",
      role: "viewer",
      tag,
      summary: "Lists the events of a flag, newest first",
      findsNothing: true,
      params: FeatureNameParams,
      querystring: EventListQuery,
    }),
    async (request) => {
      const { feature } = request.params;
      const page = parsePage(request.query, { defaultLimit: 50, maxLimit: 1000 });
      const filter = { features: [feature], access: callerOf(request).projects };
      const { events, total } = await findEvents(storage, filter, page);
      return { version: 1, toggleName: feature, events, totalEvents: total };
    },
  );
}
