import { Type } from "typebox";
import { closedObject } from "../schemas.ts";

/** A JSON Patch, RFC 6902. */
export const JsonPatchBody = Type.Array(
  closedObject("patchSchema", {
    op: Type.Unsafe<"add" | "copy" | "move" | "remove" | "replace" | "test">({
      type: "string",
      enum: ["add", "copy", "move", "remove", "replace", "test"],
    }),
    path: Type.String({ maxLength: 1000 }),
    from: Type.Optional(Type.String({ maxLength: 1000 })),
    value: Type.Optional(Type.Unknown()),
  }),
  { maxItems: 1000 },
);
