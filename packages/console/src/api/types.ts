// The types of the responses, derived from the functions of flags-admin that build them, so that the
// compiler notices when they change. Only types are imported: the console contains no code of the service.

import type { readProjectStatus } from "../../../admin/src/domain/projects/status.ts";
import type { ActionName as StoredActionName } from "../../../admin/src/change-requests/actions.ts";
import type { toRequestSummary, toRequestView } from "../../../admin/src/change-requests/store.ts";
import type { viewAddons, viewProviders } from "../../../admin/src/notifications/addon-view.ts";
import type { readLog } from "../../../admin/src/notifications/log.ts";
import type { listPlans } from "../../../admin/src/rollout-plans/plan.ts";
import type { Change as StoredChange } from "../../../admin/src/changes/recent-changes.ts";
import type { listMembers } from "../../../admin/src/accounts/project-members.ts";
import type { toListedToken } from "../../../admin/src/access/token.ts";
import type { toDefaultStrategyView } from "../../../admin/src/domain/default-strategies.ts";
import type {
  checkArchiving,
  listArchived,
} from "../../../admin/src/domain/archive/archive-features.ts";
import type { ContextField as StoredContextField } from "../../../admin/src/domain/context-fields/store.ts";
import type {
  EnvironmentCounts,
  toEnvironmentView,
} from "../../../admin/src/domain/environments/store.ts";
import type { viewInviteLinks } from "../../../admin/src/accounts/invite-links.ts";
import type { UserView } from "../../../admin/src/accounts/user-view.ts";
import type { SessionView } from "../../../admin/src/sessions/session-store.ts";
import type { findEvents } from "../../../admin/src/domain/events/find-events.ts";
import type { FeatureType } from "../../../admin/src/domain/feature-types.ts";
import type { listCleanup } from "../../../admin/src/lifecycle/list-cleanup.ts";
import type { listFeatures } from "../../../admin/src/domain/features/list-features.ts";
import type { Move, previewMove } from "../../../admin/src/domain/features/move-feature.ts";
import type { readFeature } from "../../../admin/src/domain/features/read-feature.ts";
import type { getProject, listProjects } from "../../../admin/src/domain/projects/store.ts";
import type {
  listSegments,
  listStrategiesUsing,
  toSegmentView,
} from "../../../admin/src/domain/segments/store.ts";
import type { StrategyView } from "../../../admin/src/domain/strategies/find-strategies.ts";
import type { ReferenceCount } from "../../../admin/src/domain/strategy-references.ts";
import type { listStrategyTypes } from "../../../admin/src/domain/strategy-types/store.ts";
import type { listTags } from "../../../admin/src/domain/tags/store.ts";
import type { listTagTypes } from "../../../admin/src/domain/tag-types.ts";
import type { ImportReport as StoredImportReport } from "../../../admin/src/transfer/bundle/bundle.ts";
import type { evaluateFeature } from "../../../admin/src/playground/evaluate.ts";
import type { StoredFlagVariant } from "../../../admin/src/storage/schema/json-values.ts";
import type { Context as PlaygroundContext } from "../../../admin/src/playground/schemas.ts";
import type {
  listApplications,
  readApplication,
  readApplicationOverview,
} from "../../../admin/src/usage/read-applications.ts";
import type { TimedUsage } from "../../../admin/src/usage/read-usage.ts";

/** What a value becomes in JSON. */
type Json<Value> = Value extends Date
  ? string
  : Value extends (infer Item)[]
    ? readonly Json<Item>[]
    : Value extends object
      ? { readonly [Key in keyof Value]: Json<Value[Key]> }
      : Value;

type Rows<List extends (...parameters: never[]) => Promise<unknown>> =
  Awaited<ReturnType<List>> extends readonly (infer Row)[] ? Json<Row> : never;

/** A flag in a list. */
export type FlagSummary = Rows<typeof listFeatures>;
/** A flag with its environments and their strategies. */
export type Flag = Json<Awaited<ReturnType<typeof readFeature>>>;
/** What moving a flag to another project has done. */
export type FlagMove = Json<Move>;
/** What moving a flag to another project would do. */
export type FlagMovePreview = Json<Awaited<ReturnType<typeof previewMove>>>;
export type FlagEnvironment = Flag["environments"][number];
export type Strategy = Json<StrategyView>;
export type Constraint = Strategy["constraints"][number];
export type Variant = Strategy["variants"][number];
/** A variant of a flag in an environment, which strategies without variants use. */
export type FlagVariant = Json<StoredFlagVariant>;
/** Contexts that get a variant of an environment regardless of its weight. */
export type VariantOverride = NonNullable<FlagVariant["overrides"]>[number];
/** A flag in the archive. */
export type ArchivedFlag = Rows<typeof listArchived>;
export type Project = Rows<typeof listProjects>;
/** Somebody who has a role in a project. */
export type ProjectMember = Rows<typeof listMembers>;
/** What everybody may know about others. */
export type Person = Pick<ProjectMember, "email" | "id" | "name" | "username">;
/** What can be edited of a project. */
export type ProjectSettings = Json<Awaited<ReturnType<typeof getProject>>>;
type Environment = Json<ReturnType<typeof toEnvironmentView>>;
/** An environment in a list, with numbers about its use. */
export type EnvironmentSummary = Environment & Json<EnvironmentCounts>;
/** An environment, and whether a project contains it. */
export type ProjectEnvironment = Environment & {
  readonly visible: boolean;
  /** What flags without an active strategy get when they are turned on; absent: a strategy for everyone. */
  readonly defaultStrategy?: Json<ReturnType<typeof toDefaultStrategyView>>;
};
/** A segment in a list. */
export type Segment = Rows<typeof listSegments>;
/** A segment without numbers about its use. */
export type SegmentDefinition = Json<ReturnType<typeof toSegmentView>>;
export type ContextField = Json<StoredContextField>;
export type LegalValue = ContextField["legalValues"][number];
/** A context field in a list. */
export type ContextFieldSummary = ContextField & Json<ReferenceCount>;
/** A strategy that uses a segment or a context field. */
export type StrategyReference = Rows<typeof listStrategiesUsing>;
export type TagType = Rows<typeof listTagTypes>;
export type StrategyType = Rows<typeof listStrategyTypes>;
export type Tag = Flag["tags"][number];
/** A tag with its colour. */
export type TagDefinition = Rows<typeof listTags>;
export type Token = Json<ReturnType<typeof toListedToken>>;
/** Who is signed in, and how. */
export type ListedSession = Json<SessionView> & {
  /** Whether it is the session of this browser. */
  readonly current: boolean;
};
/** A session of the user who is signed in. */
export type OwnSession = Omit<ListedSession, "role" | "user">;
/** Somebody with an account. */
export type User = Json<UserView> & {
  readonly hasPassword: boolean;
  /** Whether there is an open link with which the user chooses the first password. */
  readonly invited: boolean;
};
/** A role in the whole service. */
export interface RootRole {
  readonly id: number;
  readonly name: string;
  readonly description: string;
}
/** A link with which several people create accounts. Its `secret` is an id. */
export type InviteLink = Rows<typeof viewInviteLinks>;
/** A token with which scripts do what its user may do. */
export interface PersonalToken {
  readonly id: string;
  readonly description: string;
  readonly createdAt: string;
  readonly expiresAt: string;
  readonly seenAt: string | null;
}
/** What the service knows about the user who is signed in. */
export interface OwnAccount {
  readonly user: {
    readonly name: string;
    readonly username?: string;
    readonly email?: string;
  };
}
export interface OwnProfile {
  readonly rootRole: RootRole;
  /** Ids of the projects in which the user has a role. */
  readonly projects: readonly string[];
  readonly canChangePassword: boolean;
}
export type RecordedEvent = Json<Awaited<ReturnType<typeof findEvents>>["events"][number]>;
export type Usage = Json<TimedUsage>;
export type ImportReport = Json<StoredImportReport>;
export type ImportItem = ImportReport["items"][number];
export type ImportContents = ImportReport["contents"];
/** The result of one flag in the playground. */
export type Evaluation = Json<ReturnType<typeof evaluateFeature>>;
export type EvaluationDetails = Evaluation["details"];
/** The results of one flag by the name of the environment: one for each combination of values. */
export interface PlaygroundFlag {
  readonly name: string;
  readonly projectId: string;
  readonly environments: Readonly<
    Record<string, readonly (Evaluation & { readonly context: PlaygroundContext })[]>
  >;
}
export type Application = Json<
  Awaited<ReturnType<typeof listApplications>>["applications"][number]
>;
export type ApplicationDetails = Json<Awaited<ReturnType<typeof readApplication>>>;
export type ApplicationOverview = Json<Awaited<ReturnType<typeof readApplicationOverview>>>;
/** A recorded change, as the service announces it. */
export type Change = Json<StoredChange>;

/** A flag that can be removed, with the reason. */
export type CleanupFlag = Json<Awaited<ReturnType<typeof listCleanup>>["flags"][number]>;
/** A flag that applications use, and that is about to be archived. */
export type UsedFlag = Json<Awaited<ReturnType<typeof checkArchiving>>["usedFeatures"][number]>;
export type FlagLifetime = Json<FeatureType>;

/** How a project is doing. */
export type ProjectStatus = Json<Awaited<ReturnType<typeof readProjectStatus>>>;

/** How a strategy raises its percentage step by step. */
export type RolloutPlan = Rows<typeof listPlans>;
export type RolloutStep = RolloutPlan["steps"][number];

/** What a requested change does. */
export type ActionName = StoredActionName;
/** A change request in a list. */
export type ChangeRequestSummary = Json<ReturnType<typeof toRequestSummary>>;
/** A change request with what its changes do, and comments. */
export type ChangeRequest = Json<ReturnType<typeof toRequestView>>;
export type RequestedChange = ChangeRequest["segments"][number];
/** A change that restores a part of a flag, with what it would do. */
export interface RestoringChange extends Pick<RequestedChange, "events" | "payload"> {
  readonly feature: string;
  /** Null for what applies to all environments. */
  readonly environment: string | null;
  /** Change requests cannot contain changes of settings. */
  readonly action: ActionName | "updateSettings";
}

/** Where notifications are sent, and how that goes. */
export type Addon = Json<Awaited<ReturnType<typeof viewAddons>>[number]>;
/** A kind of receivers. */
export type AddonProvider = Json<ReturnType<typeof viewProviders>[number]>;
/** What was sent of one event, or will be. */
export type SentNotification = Json<Awaited<ReturnType<typeof readLog>>[number]>;

/** What the code for apps contains, as far as it is configured. The key is public. */
export interface AppAccess {
  readonly frontendUrl?: string;
  readonly frontendKey?: string;
}
