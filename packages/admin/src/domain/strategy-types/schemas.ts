import { Type } from "typebox";
import { Name } from "../../http/names.ts";
import { nullableText, bodyObject } from "../../http/schemas.ts";

/** What only responses contain. */
const READ_ONLY = ["displayName", "editable", "deprecated"] as const;

/** How a parameter is entered. Its value is text, whatever the type. */
export type ParameterType = "boolean" | "list" | "number" | "percentage" | "string";

const Parameter = bodyObject("strategyParameterSchema", {
  name: Type.String({ minLength: 1, maxLength: 100 }),
  type: Type.Optional(
    Type.Unsafe<ParameterType>({
      type: "string",
      enum: ["boolean", "list", "number", "percentage", "string"],
    }),
  ),
  description: Type.Optional(Type.String({ maxLength: 1000 })),
  required: Type.Optional(Type.Boolean()),
});

const properties = {
  title: Type.Optional(nullableText(500)),
  description: Type.Optional(nullableText(10_000)),
  parameters: Type.Optional(Type.Array(Parameter, { maxItems: 100 })),
};

export const CreateStrategyTypeBody = bodyObject(
  "createStrategySchema",
  {
    name: Name,
    ...properties,
  },
  READ_ONLY,
);
export const UpdateStrategyTypeBody = bodyObject("updateStrategySchema", properties, [
  "name",
  ...READ_ONLY,
]);

export type CreateStrategyType = Type.Static<typeof CreateStrategyTypeBody>;
export type UpdateStrategyType = Type.Static<typeof UpdateStrategyTypeBody>;

export const StrategyTypeParams = Type.Object({ strategyName: Type.String() });
