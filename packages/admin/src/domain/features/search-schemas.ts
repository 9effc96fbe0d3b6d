import { Type } from "typebox";

const Text = Type.Optional(Type.String());
const Filter = Type.Optional(Type.String({ description: "IS:value or IS_ANY_OF:value,value" }));

type SortColumn = "archivedAt" | "createdAt" | "name" | "project" | "stale" | "type";

export const FeatureSearchQuery = Type.Object({
  query: Text,
  project: Filter,
  type: Filter,
  archived: Type.Optional(Type.String({ description: "IS:true or IS:false" })),
  lifecycle: Type.Optional(Type.String({ description: "IS:archived" })),
  sortBy: Type.Optional(
    Type.Unsafe<SortColumn>({
      type: "string",
      enum: ["archivedAt", "createdAt", "name", "project", "stale", "type"],
    }),
  ),
  sortOrder: Type.Optional(Type.Unsafe<"asc" | "desc">({ type: "string", enum: ["asc", "desc"] })),
  offset: Text,
  limit: Text,
});

export type FeatureSearch = Type.Static<typeof FeatureSearchQuery>;
