import { Type } from "typebox";
import { operation } from "../access/operation.ts";
import { callerOf } from "../access/request-identity.ts";
import { OptionalText, parsePage } from "../http/parse-filter.ts";
import type { TypedApp } from "../http/typed-app.ts";
import type { Storage } from "../storage/storage.ts";
import { listCleanup } from "./list-cleanup.ts";

const CleanupQuery = Type.Object({
  project: Type.Optional(Type.String({ description: "Id of a project; all by default" })),
  offset: OptionalText,
  limit: Type.Optional(Type.String({ description: "1 to 100, 50 by default" })),
});

/** Lists the flags that can be removed. */
export function registerCleanup(app: TypedApp, storage: Storage): void {
  app.get(
    "/cleanup",
    operation({
      id: "getFlagsToCleanUp",
      role: "viewer",
      tag: "Lifecycle",
      summary:
        "Lists the stale, potentially stale and completed flags, with the reason, the code to keep and their last use",
      querystring: CleanupQuery,
    }),
    (request) => {
      const { project, ...query } = request.query;
      const { account, projects: access } = callerOf(request);
      const scope = { project, access, userId: account?.id };
      const page = parsePage(query, { defaultLimit: 50, maxLimit: 100 });
      return storage.read((db) => listCleanup(db, scope, page));
    },
  );
}
