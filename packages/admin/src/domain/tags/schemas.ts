import { Type } from "typebox";
import { closedObject, nullableText } from "../../http/schemas.ts";

export const TagBody = closedObject("tagSchema", {
  type: Type.String({ minLength: 2, maxLength: 50 }),
  value: Type.String({ minLength: 2, maxLength: 50 }),
  color: Type.Optional(nullableText(20)),
});

const TagList = Type.Array(TagBody, { maxItems: 100 });

export const TagChangesBody = closedObject("updateTagsSchema", {
  addedTags: TagList,
  removedTags: TagList,
});

export const BulkTagsBody = closedObject("tagsBulkAddSchema", {
  features: Type.Array(Type.String(), { maxItems: 10_000 }),
  tags: TagChangesBody,
});

export type TagInput = Type.Static<typeof TagBody>;
export type TagChanges = Type.Static<typeof TagChangesBody>;

export const TagParams = Type.Object({ type: Type.String(), value: Type.String() });
export const FeatureTagParams = Type.Object({
  feature: Type.String(),
  type: Type.String(),
  value: Type.String(),
});
