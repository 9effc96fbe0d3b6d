import { Type } from "typebox";
import { PROJECT_MODES, type ProjectMode } from "../../storage/schema/projects.ts";
import { Name } from "../../http/names.ts";
import { closedObject, nullableText, bodyObject } from "../../http/schemas.ts";

/** What only responses contain. */
const READ_ONLY = [
  "createdAt",
  "updatedAt",
  "archivedAt",
  "featureCount",
  "callerRole",
  "memberCount",
] as const;

const ProjectName = Type.String({
  minLength: 1,
  maxLength: 200,
  pattern: String.raw`\S`,
  description: "Display name: at least one character that is not a space",
});
const Mode = Type.Unsafe<ProjectMode>({
  type: "string",
  enum: PROJECT_MODES,
  description:
    "`open`: editors may change its flags; `protected`: only its members may; `private`: it exists only for its members and admins",
});
const NoLimit = Type.Null({ description: "Limits per project are not supported" });
const Stickiness = Type.String({ minLength: 1, maxLength: 100 });

export const CreateProjectBody = bodyObject(
  "createProjectSchema",
  {
    id: Type.Optional(
      Type.String({ maxLength: 100, description: "Derived from the name if absent or empty" }),
    ),
    name: ProjectName,
    description: Type.Optional(nullableText(10_000)),
    defaultStickiness: Type.Optional(Stickiness),
    mode: Type.Optional(Mode),
    featureLimit: Type.Optional(NoLimit),
    environments: Type.Optional(
      Type.Array(Type.String(), {
        maxItems: 50,
        description: "Names of its environments. Defaults to all enabled ones",
      }),
    ),
  },
  READ_ONLY,
);

export const UpdateProjectBody = bodyObject(
  "updateProjectSchema",
  {
    name: Type.Optional(ProjectName),
    description: Type.Optional(nullableText(10_000)),
    defaultStickiness: Type.Optional(Stickiness),
    mode: Type.Optional(Mode),
    featureLimit: Type.Optional(NoLimit),
  },
  ["id", "environments", ...READ_ONLY],
);

export const ProjectSettingsBody = bodyObject("updateProjectEnterpriseSettingsSchema", {
  mode: Type.Optional(Mode),
  featureNaming: Type.Optional(
    Type.Null({ description: "Rules for the names of flags are not supported" }),
  ),
  linkTemplates: Type.Optional(
    Type.Array(Type.Unknown(), { maxItems: 0, description: "Links are not supported" }),
  ),
});

export const ProjectEnvironmentBody = bodyObject("projectEnvironmentSchema", {
  environment: Type.String(),
});

export const ProjectIdBody = closedObject("validateProjectSchema", { id: Name });

export type CreateProject = Type.Static<typeof CreateProjectBody>;
export type UpdateProject = Type.Static<typeof UpdateProjectBody>;

export const ProjectListQuery = Type.Object({
  archived: Type.Optional(
    Type.Unsafe<"false" | "true">({ type: "string", enum: ["true", "false"] }),
  ),
});
