import type { TypedApp } from "flags-server-kit/http";
import { documented } from "../../http/schemas.ts";
import { parsePage } from "../../http/parse-filter.ts";
import type { Storage } from "../../storage/storage.ts";
import { FeatureNameParams } from "../schemas.ts";
import { findEvents } from "./find-events.ts";
import {
  EventListQuery,
  EventSearchQuery,
  parseEventList,
  parseEventSearch,
} from "./parse-query.ts";

const tag = "Events";

/** Routes for the record of changes and their authors. */
export function registerEvents(app: TypedApp, storage: Storage): void {
  app.get(
    "/search/events",
    {
      schema: {
        ...documented({ tag, summary: "Searches the events, newest first", alsoFailsWith: [400] }),
        querystring: EventSearchQuery,
      },
    },
    ({ query }, { raw }) => {
      const filter = parseEventSearch(query);
      const page = parsePage(query, { defaultLimit: 50, maxLimit: 1000 });
      return findEvents(storage, filter, page, { isCancelled: () => raw.destroyed });
    },
  );

  app.get(
    "/events",
    {
      schema: {
        ...documented({ tag, summary: "Lists the events, newest first" }),
        querystring: EventListQuery,
      },
    },
    async ({ query }) => {
      const page = parsePage(query, { defaultLimit: 100, maxLimit: 1000 });
      const { events, total } = await findEvents(storage, parseEventList(query), page);
      return { version: 1, events, totalEvents: total };
    },
  );

  app.get(
    "/events/:feature",
    {
      schema: {
        ...documented({ tag, summary: "Lists the events of a flag, newest first" }),
        params: FeatureNameParams,
        querystring: EventListQuery,
      },
    },
    async ({ params: { feature }, query }) => {
      const page = parsePage(query, { defaultLimit: 50, maxLimit: 1000 });
      const { events, total } = await findEvents(storage, { features: [feature] }, page);
      return { version: 1, toggleName: feature, events, totalEvents: total };
    },
  );
}
