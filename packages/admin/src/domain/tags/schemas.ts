import { Type } from "typebox";
import { Name } from "../../http/names.ts";
import { closedObject, nullableText, openObject } from "../../http/schemas.ts";

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

const typeProperties = {
  description: Type.Optional(nullableText(10_000)),
  icon: Type.Optional(nullableText(1000)),
};

const TagTypeName = Type.Intersect([Name, Type.String({ minLength: 2, maxLength: 50 })]);

export const CreateTagTypeBody = openObject("createTagTypeSchema", {
  name: TagTypeName,
  ...typeProperties,
});
export const UpdateTagTypeBody = openObject("updateTagTypeSchema", typeProperties);
export const TagTypeNameBody = closedObject("validateTagTypeSchema", { name: TagTypeName });

export type TagInput = Type.Static<typeof TagBody>;
export type TagChanges = Type.Static<typeof TagChangesBody>;
export type CreateTagType = Type.Static<typeof CreateTagTypeBody>;
export type UpdateTagType = Type.Static<typeof UpdateTagTypeBody>;

export const TagParams = Type.Object({ type: Type.String(), value: Type.String() });
export const TagTypeParams = Type.Object({ type: Type.String() });
export const FeatureTagParams = Type.Object({
  feature: Type.String(),
  type: Type.String(),
  value: Type.String(),
});
