import { Type } from "typebox";
import { Name } from "../../http/names.ts";
import { closedObject, nullableText, openObject } from "../../http/schemas.ts";

const properties = {
  description: Type.Optional(nullableText(10_000)),
  icon: Type.Optional(nullableText(1000)),
};

const TagTypeName = Type.Intersect([Name, Type.String({ minLength: 2, maxLength: 50 })]);

export const CreateTagTypeBody = openObject("createTagTypeSchema", {
  name: TagTypeName,
  ...properties,
});
export const UpdateTagTypeBody = openObject("updateTagTypeSchema", properties);
export const TagTypeNameBody = closedObject("validateTagTypeSchema", { name: TagTypeName });

export type CreateTagType = Type.Static<typeof CreateTagTypeBody>;
export type UpdateTagType = Type.Static<typeof UpdateTagTypeBody>;

export const TagTypeParams = Type.Object({ type: Type.String() });
