import { Type } from "typebox";
import { Name } from "../../http/names.ts";
import { openObject } from "../../http/schemas.ts";
import { MAX_INT32 } from "../schemas.ts";

export const CreateEnvironmentBody = openObject("createEnvironmentSchema", {
  name: Name,
  type: Type.String({
    minLength: 1,
    maxLength: 100,
    description: "Its purpose, such as development, test, preproduction or production",
  }),
  enabled: Type.Optional(Type.Boolean()),
  sortOrder: Type.Optional(Type.Integer({ minimum: 0, maximum: MAX_INT32 })),
});

export type CreateEnvironment = Type.Static<typeof CreateEnvironmentBody>;

export const EnvironmentParams = Type.Object({ environment: Type.String() });
