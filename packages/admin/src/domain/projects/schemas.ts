import { MAX_NAME_LENGTH } from "flags-engine";
import { Type } from "typebox";
import { LIMITS } from "../../limits.ts";
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
  "favorite",
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
  [
    "id",
    "environments",
    "changeRequestEnvironments",
    "featureNaming",
    "linkTemplates",
    ...READ_ONLY,
  ],
);

const FeatureNamingBody = closedObject("createFeatureNamingPatternSchema", {
  pattern: Type.Optional({
    ...nullableText(500),
    description: "Regular expression in RE2 syntax, which the whole name has to match",
  }),
  example: Type.Optional({ ...nullableText(MAX_NAME_LENGTH), description: "Matches the pattern" }),
  description: Type.Optional({ ...nullableText(1000), description: "Explains the pattern" }),
});

const LinkTemplateBody = closedObject("linkTemplateSchema", {
  title: Type.Optional(nullableText(100)),
  urlTemplate: Type.String({
    minLength: 1,
    maxLength: 1000,
    description: "Address of a web page, with the placeholders {{project}} and {{feature}}",
  }),
});

export const ProjectSettingsBody = bodyObject("updateProjectEnterpriseSettingsSchema", {
  mode: Type.Optional(Mode),
  featureNaming: Type.Optional(
    Type.Unsafe<FeatureNamingInput | null>({
      ...FeatureNamingBody,
      type: ["object", "null"],
      description: "The rule for names of new flags. Null, or an empty pattern, removes it",
    }),
  ),
  linkTemplates: Type.Optional(
    Type.Array(LinkTemplateBody, {
      maxItems: LIMITS.linksPerProject,
      description: "Links that every flag of the project has. Replaces all",
    }),
  ),
});

export const ProjectEnvironmentBody = bodyObject("projectEnvironmentSchema", {
  environment: Type.String(),
});

export const ProjectIdBody = closedObject("validateProjectSchema", { id: Name });

export type CreateProject = Type.Static<typeof CreateProjectBody>;
export type UpdateProject = Type.Static<typeof UpdateProjectBody>;
export type ProjectSettings = Type.Static<typeof ProjectSettingsBody>;
export type FeatureNamingInput = Type.Static<typeof FeatureNamingBody>;
export type LinkTemplateInput = Type.Static<typeof LinkTemplateBody>;

export const ProjectListQuery = Type.Object({
  archived: Type.Optional(
    Type.Unsafe<"false" | "true">({ type: "string", enum: ["true", "false"] }),
  ),
});

const Count = Type.Integer({ minimum: 0 });
const Percentage = closedObject("projectStatusPercentageSchema", {
  current: Type.Integer({ minimum: 0, maximum: 100 }),
});

const StageSummary = closedObject("projectLifecycleStageSchema", {
  averageDays: Type.Unsafe<number | null>({
    type: ["integer", "null"],
    description: "How long flags were in the stage that have left it; null if none has",
  }),
  currentFlags: Count,
});

export const ProjectStatusResponse = closedObject("projectStatusSchema", {
  activityCountByDate: Type.Array(
    closedObject("projectActivitySchema", { date: Type.String({ format: "date" }), count: Count }),
    { description: "Changes on each day in UTC with any, in the last 365 days" },
  ),
  resources: closedObject("projectResourcesSchema", {
    apiTokens: Type.Integer({ minimum: 0, description: "Those that name the project" }),
    members: Count,
    segments: Type.Integer({ minimum: 0, description: "Those that only the project can use" }),
  }),
  health: Percentage,
  technicalDebt: Percentage,
  activeFlags: closedObject("projectActiveFlagsSchema", { total: Count }),
  staleFlags: closedObject("projectStaleFlagsSchema", {
    total: Type.Integer({ minimum: 0, description: "Active flags that should be cleaned up" }),
    markedCount: Type.Integer({ minimum: 0, description: "Those that are marked as stale" }),
    potentiallyStaleCount: Type.Integer({
      minimum: 0,
      description: "Those that are not marked, but probably can be removed",
    }),
    oldest: Type.Array(
      closedObject("projectStaleFlagSchema", {
        name: Type.String(),
        type: Type.String(),
        stale: Type.Boolean(),
        createdAt: Type.String({ format: "date-time" }),
      }),
      { description: "The ten oldest ones" },
    ),
  }),
  lifecycleSummary: closedObject("projectLifecycleSummarySchema", {
    initial: StageSummary,
    preLive: StageSummary,
    live: StageSummary,
    completed: StageSummary,
    archived: closedObject("projectArchivedFlagsSchema", {
      currentFlags: Count,
      last30Days: Count,
    }),
  }),
});
