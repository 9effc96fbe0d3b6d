import { Type } from "typebox";
import { openObject } from "../../http/schemas.ts";

export const DependencyBody = openObject("createDependentFeatureSchema", {
  feature: Type.String({ description: "Name of the parent" }),
  enabled: Type.Optional(Type.Boolean({ description: "Whether the parent must be on, or off" })),
  variants: Type.Optional(
    Type.Array(Type.String({ minLength: 1, maxLength: 100 }), {
      maxItems: 100,
      description: "Variants of the parent, one of which there must be; none: any will do",
    }),
  ),
});

export type DependencyInput = Type.Static<typeof DependencyBody>;

export const ParentParams = Type.Object({
  projectId: Type.String(),
  feature: Type.String(),
  parent: Type.String(),
});
