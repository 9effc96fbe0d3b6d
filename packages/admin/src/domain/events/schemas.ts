import { Type } from "typebox";

const Text = Type.Optional(Type.String());
const Filter = Type.Optional(Type.String({ description: "IS:value or IS_ANY_OF:value,value" }));
const Day = Type.Optional(Type.String({ description: "IS:yyyy-MM-dd" }));

export const EventSearchQuery = Type.Object({
  query: Text,
  id: Filter,
  feature: Filter,
  project: Filter,
  type: Filter,
  createdBy: Filter,
  environment: Filter,
  from: Day,
  to: Day,
  offset: Text,
  limit: Text,
});

export const EventListQuery = Type.Object({
  feature: Text,
  project: Text,
  environment: Text,
  type: Text,
  offset: Text,
  limit: Text,
});

export const EventFeatureParams = Type.Object({ feature: Type.String() });
