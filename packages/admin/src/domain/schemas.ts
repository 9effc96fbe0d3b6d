import { Type, type Static } from "typebox";
import { MAX_INT32, bodyObject } from "../http/schemas.ts";
import type { FeatureEnvironmentAddress } from "./feature-environment.ts";
import type { FeatureAddress } from "./feature.ts";

export const SegmentIds = Type.Array(Type.Integer({ minimum: 1, maximum: MAX_INT32 }));

/** The flags that a bulk operation applies to. */
const FeatureNames = Type.Array(Type.String(), {
  maxItems: 10_000,
  description: "Names of flags",
});

export const BatchFeaturesBody = bodyObject("batchFeaturesSchema", { features: FeatureNames });

/** Why flags are turned off in an environment that requires approvals. */
const Reason = Type.Optional(
  Type.String({
    minLength: 1,
    maxLength: 1000,
    pattern: String.raw`\S`,
    description:
      "Why flags are turned off without the approvals that changes in the environment require",
  }),
);

export const ReasonBody = bodyObject("turnOffSchema", { reason: Reason });

export const BatchOffBody = bodyObject("batchOffSchema", {
  features: FeatureNames,
  reason: Reason,
});

export const ProjectParams = Type.Object({ projectId: Type.String() });
export const ProjectEnvironmentParams = Type.Object({
  projectId: Type.String(),
  environment: Type.String(),
});
export const FeatureNameParams = Type.Object({ feature: Type.String() });
export const FeatureParams = Type.Object({ projectId: Type.String(), feature: Type.String() });
export const FeatureEnvironmentParams = Type.Object({
  projectId: Type.String(),
  feature: Type.String(),
  environment: Type.String(),
});

export function toFeatureAddress({
  projectId,
  feature,
}: Static<typeof FeatureParams>): FeatureAddress {
  return { project: projectId, feature };
}

export function toFeatureEnvironmentAddress({
  environment,
  ...params
}: Static<typeof FeatureEnvironmentParams>): FeatureEnvironmentAddress {
  return { ...toFeatureAddress(params), environment };
}
