import { Type } from "typebox";
import { Name } from "../../http/names.ts";
import { MAX_INT32, bodyObject } from "../../http/schemas.ts";
import { type Protection as Protected, PROTECTIONS } from "../../storage/schema/projects.ts";

/** What only responses contain. */
const READ_ONLY = [
  "createdAt",
  "protected",
  "projectCount",
  "apiTokenCount",
  "enabledToggleCount",
] as const;

const EnvironmentType = Type.String({
  minLength: 1,
  maxLength: 100,
  description: "Its purpose, such as development, test, preproduction or production",
});
const SortOrder = Type.Integer({ minimum: 0, maximum: MAX_INT32 });

/** The largest number of approvals that a change can require. */
export const MAX_APPROVALS = 10;

const Protection = Type.Optional(
  Type.Unsafe<Protected>({
    type: "string",
    enum: PROTECTIONS,
    description:
      "What a change of flags requires: nothing, a confirmation in the console, or approvals",
  }),
);
const RequiredApprovals = Type.Optional(
  Type.Unsafe<number | null>({
    type: ["integer", "null"],
    minimum: 1,
    maximum: MAX_APPROVALS,
    description:
      "How many people must approve a change, in every project: a number implies the protection `approvals`, and null ends it",
  }),
);

export const CreateEnvironmentBody = bodyObject(
  "createEnvironmentSchema",
  {
    name: Name,
    type: EnvironmentType,
    enabled: Type.Optional(Type.Boolean()),
    sortOrder: Type.Optional(SortOrder),
    protection: Protection,
    requiredApprovals: RequiredApprovals,
  },
  READ_ONLY,
);

export const UpdateEnvironmentBody = bodyObject(
  "updateEnvironmentSchema",
  {
    type: Type.Optional(EnvironmentType),
    sortOrder: Type.Optional(SortOrder),
    protection: Protection,
    requiredApprovals: RequiredApprovals,
  },
  ["name", "enabled", ...READ_ONLY],
);

export const CloneEnvironmentBody = bodyObject("cloneEnvironmentSchema", {
  name: Name,
  type: EnvironmentType,
  projects: Type.Optional(
    Type.Array(Type.String(), {
      maxItems: 500,
      description:
        "The projects to add the new environment to. Default: all active projects with the cloned one",
    }),
  ),
  clonePermissions: Type.Optional(
    Type.Boolean({ description: "Has no effect: permissions do not depend on environments" }),
  ),
});

/** Sort orders by name. */
export const SortOrderBody = Type.Record(Type.String(), SortOrder, {
  title: "sortOrderSchema",
  maxProperties: 50,
});

export type CreateEnvironment = Type.Static<typeof CreateEnvironmentBody>;
export type UpdateEnvironment = Type.Static<typeof UpdateEnvironmentBody>;
export type CloneEnvironment = Type.Static<typeof CloneEnvironmentBody>;

export const EnvironmentParams = Type.Object({ environment: Type.String() });
