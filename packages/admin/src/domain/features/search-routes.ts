import { documented } from "../../http/schemas.ts";
import { parsePage } from "../../http/parse-filter.ts";
import type { TypedApp } from "flags-server-kit/http";
import type { Storage } from "../../storage/storage.ts";
import { searchFeatures } from "./search-features.ts";
import { FeatureSearchQuery } from "./search-schemas.ts";

/** Finding flags, whatever project they are in. */
export function registerFeatureSearch(app: TypedApp, storage: Storage): void {
  app.get(
    "/search/features",
    {
      schema: {
        ...documented({
          tag: "Features",
          summary: "Searches the features of all projects, the archived ones too",
          alsoFailsWith: [400],
        }),
        querystring: FeatureSearchQuery,
      },
    },
    ({ query }) => {
      const page = parsePage(query, { defaultLimit: 50, maxLimit: 100 });
      return storage.read((db) => searchFeatures(db, query, page));
    },
  );
}
