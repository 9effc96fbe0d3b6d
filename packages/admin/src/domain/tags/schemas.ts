import { Type } from "typebox";
import { TAG_VALUE_PATTERN } from "../../http/names.ts";
import { closedObject, nullableText } from "../../http/schemas.ts";

/** Schema of the value of a tag. White space at its ends is removed before it is stored. */
export const TagValue = Type.String({ minLength: 2, maxLength: 50, pattern: TAG_VALUE_PATTERN });

export const TagBody = closedObject("tagSchema", {
  type: Type.String({ minLength: 2, maxLength: 50 }),
  value: TagValue,
  color: Type.Optional(nullableText(20)),
});

// Blank values cannot be added, but those that a database contains must be removable.
const RemovedTag = closedObject("removedTagSchema", {
  ...TagBody.properties,
  value: Type.String({ maxLength: 50 }),
});

export const TagChangesBody = closedObject("updateTagsSchema", {
  addedTags: Type.Array(TagBody, { maxItems: 100 }),
  removedTags: Type.Array(RemovedTag, { maxItems: 100 }),
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
