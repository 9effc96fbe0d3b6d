import { Type } from "typebox";
import { bodyObject, nullableText } from "../../http/schemas.ts";

const MAX_URL_LENGTH = 2000;
const MAX_TITLE_LENGTH = 255;

export const LinkBody = bodyObject("changeFeatureLinkSchema", {
  url: Type.String({
    minLength: 1,
    maxLength: MAX_URL_LENGTH,
    description: "An address that begins with http:// or https://",
  }),
  title: Type.Optional(nullableText(MAX_TITLE_LENGTH)),
});

export const LinkParams = Type.Object({
  projectId: Type.String(),
  feature: Type.String(),
  linkId: Type.String(),
});

export type Link = Type.Static<typeof LinkBody>;
