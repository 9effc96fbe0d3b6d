import { Type } from "typebox";
import { bodyObject } from "../../http/schemas.ts";

export const DependencyBody = bodyObject("createDependentFeatureSchema", {
  feature: Type.String({ description: "Name of the parent flag" }),
  enabled: Type.Optional(
    Type.Boolean({ description: "Whether the parent must be on (default) or off" }),
  ),
  variants: Type.Optional(
    Type.Array(Type.String({ minLength: 1, maxLength: 100 }), {
      maxItems: 100,
      description: "Accepted variants of the parent. An empty list accepts every variant",
    }),
  ),
});

export type DependencyInput = Type.Static<typeof DependencyBody>;

export const ParentParams = Type.Object({
  projectId: Type.String(),
  feature: Type.String(),
  parent: Type.String(),
});
