import type { EventType } from "../storage/events.ts";
import {
  accountIn,
  addonIn,
  atStep,
  countOf,
  type DescribedEvent,
  flagOf,
  percentageIn,
  reasonOf,
  requestOf,
  stepIn,
  stepsIn,
  strategyIn,
  type StrategyWords,
  tagIn,
} from "./event-parts.ts";
import { fieldsOf, textAt } from "./recorded-state.ts";
import { describeRecordedReason } from "./stale-reason.ts";

interface EventWords {
  /** The name of the type in a list of all types. */
  readonly label: string;
  /** The sentence without its subject, who did it. */
  readonly action: (event: DescribedEvent, strategies: StrategyWords) => string;
}

/**
 * The types of events in words, for the history in the console and for notifications. The compiler requires every type
 * that the service records. Runs in browsers, too.
 */
export const EVENT_WORDS: Readonly<Record<EventType, EventWords>> = {
  "addon-config-created": {
    label: "Notification created",
    action: ({ data }) => `created the notification ${addonIn(data)}`,
  },
  "addon-config-deleted": {
    label: "Notification deleted",
    action: ({ preData }) => `deleted the notification ${addonIn(preData)}`,
  },
  "addon-config-updated": {
    label: "Notification changed",
    action: (event) =>
      `${fieldsOf(event.preData)["enabled"] === true && fieldsOf(event.data)["enabled"] === false ? "turned off" : "changed"} the notification ${addonIn(event.data)}${reasonOf(event)}`,
  },
  "api-token-created": {
    label: "API token created",
    action: ({ data }) => `created the API token ${textAt(data, "tokenName")}`,
  },
  "api-token-deleted": {
    label: "API token deleted",
    action: ({ preData }) => `deleted the API token ${textAt(preData, "tokenName")}`,
  },
  "api-token-updated": {
    label: "API token changed",
    action: ({ data }) => `changed when the API token ${textAt(data, "tokenName")} expires`,
  },
  "application-deleted": {
    label: "Application removed",
    action: ({ preData }) => `removed the application ${textAt(preData, "appName")} from the list`,
  },
  "change-added": {
    label: "Change requested",
    action: (event) => `added a change to ${requestOf(event)}`,
  },
  "change-discarded": {
    label: "Requested change removed",
    action: (event) => `removed a change from ${requestOf(event)}`,
  },
  "change-edited": {
    label: "Requested change edited",
    action: (event) => `edited a change of ${requestOf(event)}`,
  },
  "change-request-applied": {
    label: "Change request applied",
    action: (event) => `applied ${requestOf(event)}`,
  },
  "change-request-applied-without-approval": {
    label: "Change request applied without approval",
    action: (event) =>
      `applied ${requestOf(event)} without the required approvals: “${textAt(event.data, "reason")}”`,
  },
  "change-request-approval-added": {
    label: "Change request approved by one person",
    action: (event) => `approved ${requestOf(event)}`,
  },
  "change-request-approved": {
    label: "Change request approved",
    action: (event) => `gave ${requestOf(event)} its last required approval`,
  },
  "change-request-cancelled": {
    label: "Change request cancelled",
    action: (event) => `cancelled ${requestOf(event)}`,
  },
  "change-request-comment-added": {
    label: "Comment on a change request",
    action: (event) => `commented on ${requestOf(event)}: “${textAt(event.data, "comment")}”`,
  },
  "change-request-configuration-updated": {
    label: "Required approvals changed",
    action: (event) =>
      `changed how many approvals changes in ${event.environment} of the project ${event.project} require`,
  },
  "change-request-created": {
    label: "Change request created",
    action: (event) => `created ${requestOf(event)} for ${event.environment}`,
  },
  "change-request-discarded": {
    label: "Change request deleted",
    action: (event) => `deleted ${requestOf(event)}`,
  },
  "change-request-rejected": {
    label: "Change request rejected",
    action: (event) => `rejected ${requestOf(event)}`,
  },
  "change-request-requested-approvers-updated": {
    label: "Reviewers asked",
    action: (event) => `asked people to review ${requestOf(event)}`,
  },
  "change-request-schedule-suspended": {
    label: "Scheduled change suspended",
    action: (event) =>
      `could not apply ${requestOf(event)} as scheduled: ${textAt(event.data, "reason")}`,
  },
  "change-request-scheduled": {
    label: "Change request scheduled",
    action: (event) => `scheduled ${requestOf(event)}`,
  },
  "change-request-scheduled-application-failure": {
    label: "Scheduled change delayed",
    action: (event) =>
      `could not apply ${requestOf(event)} yet, and tries again: ${textAt(event.data, "reason")}`,
  },
  "change-request-scheduled-application-success": {
    label: "Scheduled change applied",
    action: (event) => `applied ${requestOf(event)} as scheduled`,
  },
  "change-request-sent-to-review": {
    label: "Change request sent to review",
    action: (event) => `sent ${requestOf(event)} to review`,
  },
  "change-request-unscheduled": {
    label: "Schedule ended",
    action: (event) => `ended the schedule of ${requestOf(event)}`,
  },
  "context-field-created": {
    label: "Context field created",
    action: ({ data }) => `created the context field ${textAt(data, "name")}`,
  },
  "context-field-deleted": {
    label: "Context field deleted",
    action: ({ preData }) => `deleted the context field ${textAt(preData, "name")}`,
  },
  "context-field-updated": {
    label: "Context field changed",
    action: ({ data }) => `changed the context field ${textAt(data, "name")}`,
  },
  "default-strategy-updated": {
    label: "Default strategy changed",
    action: ({ project, environment }) =>
      `changed the default strategy of the project ${project} in ${environment}`,
  },
  "environment-created": {
    label: "Environment created",
    action: ({ environment }) => `created the environment ${environment}`,
  },
  "environment-deleted": {
    label: "Environment deleted",
    action: ({ environment }) => `deleted the environment ${environment}`,
  },
  "environment-disabled": {
    label: "Environment disabled",
    action: ({ environment }) => `disabled the environment ${environment}`,
  },
  "environment-enabled": {
    label: "Environment enabled",
    action: ({ environment }) => `enabled the environment ${environment}`,
  },
  "environment-updated": {
    label: "Environment changed",
    action: ({ environment }) => `changed the environment ${environment}`,
  },
  "feature-archived": {
    label: "Flag archived",
    action: (event) => `archived ${flagOf(event)}`,
  },
  "feature-completed": {
    label: "Flag completed",
    action: (event) => `completed ${flagOf(event)}`,
  },
  "feature-created": {
    label: "Flag created",
    action: (event) => `created the flag ${flagOf(event)}`,
  },
  "feature-deleted": {
    label: "Flag deleted",
    action: (event) => `permanently deleted the flag ${flagOf(event)}`,
  },
  "feature-dependencies-removed": {
    label: "Dependencies removed",
    action: (event) => `removed the dependencies of ${flagOf(event)}`,
  },
  "feature-dependency-added": {
    label: "Dependency added",
    action: (event) => `made ${flagOf(event)} depend on ${textAt(event.data, "feature")}`,
  },
  "feature-dependency-removed": {
    label: "Dependency removed",
    action: (event) =>
      `removed the dependency of ${flagOf(event)} on ${textAt(event.preData, "feature")}`,
  },
  "feature-environment-disabled": {
    label: "Flag turned off",
    action: (event) => `turned off ${flagOf(event)} in ${event.environment}`,
  },
  "feature-environment-disabled-without-approval": {
    label: "Flag turned off without approval",
    action: (event) =>
      `turned off ${flagOf(event)} in ${event.environment} without the required approvals: “${textAt(event.data, "reason")}”`,
  },
  "feature-environment-enabled": {
    label: "Flag turned on",
    action: (event) => `turned on ${flagOf(event)} in ${event.environment}`,
  },
  "feature-environment-variants-updated": {
    label: "Variants changed",
    action: (event) => `changed the variants of ${flagOf(event)} in ${event.environment}`,
  },
  "feature-favorited": {
    label: "Flag added to favourites",
    action: (event) => `added ${flagOf(event)} to their favourites`,
  },
  "feature-link-added": {
    label: "Link added to a flag",
    action: (event) => `added a link to ${textAt(event.data, "url")} to ${flagOf(event)}`,
  },
  "feature-link-removed": {
    label: "Link removed from a flag",
    action: (event) => `removed the link to ${textAt(event.preData, "url")} from ${flagOf(event)}`,
  },
  "feature-link-updated": {
    label: "Link of a flag changed",
    action: (event) => `changed a link of ${flagOf(event)} to ${textAt(event.data, "url")}`,
  },
  "feature-metadata-updated": {
    label: "Flag settings changed",
    action: (event) => `changed the settings of ${flagOf(event)}`,
  },
  "feature-potentially-stale-off": {
    label: "Flag no longer potentially stale",
    action: (event) => `found that ${flagOf(event)} is still needed`,
  },
  "feature-potentially-stale-on": {
    label: "Flag potentially stale",
    action: (event) => `found ${flagOf(event)} stale: ${describeRecordedReason(event.data)}`,
  },
  "feature-project-change": {
    label: "Flag moved",
    action: (event) =>
      `moved ${flagOf(event)} from the project ${textAt(event.data, "oldProject")} to ${textAt(event.data, "newProject")}`,
  },
  "feature-restored": {
    label: "Flag restored",
    action: (event) => `restored an earlier state of ${flagOf(event)}`,
  },
  "feature-revived": {
    label: "Flag revived",
    action: (event) => `revived ${flagOf(event)} from the archive`,
  },
  "feature-stale-off": {
    label: "Flag marked as active",
    action: (event) => `marked ${flagOf(event)} as active`,
  },
  "feature-stale-on": {
    label: "Flag marked as stale",
    action: (event) => `marked ${flagOf(event)} as stale`,
  },
  "feature-stale-snoozed": {
    label: "Flag kept although it seems stale",
    action: (event) => `said that ${flagOf(event)} is still needed`,
  },
  "feature-stale-unsnoozed": {
    label: "Flag no longer kept if it seems stale",
    action: (event) => `no longer says that ${flagOf(event)} is needed`,
  },
  "feature-strategy-add": {
    label: "Strategy added",
    action: (event, words) =>
      `added ${strategyIn(event.data, words)} to ${flagOf(event)} in ${event.environment}`,
  },
  "feature-strategy-remove": {
    label: "Strategy removed",
    action: (event, words) =>
      `removed ${strategyIn(event.preData, words)} from ${flagOf(event)} in ${event.environment}`,
  },
  "feature-strategy-update": {
    label: "Strategy changed",
    action: (event, words) =>
      `changed ${strategyIn(event.data, words)} of ${flagOf(event)} in ${event.environment}`,
  },
  "feature-tagged": {
    label: "Tag added to a flag",
    action: (event) => `added the tag ${tagIn(event.data)} to ${flagOf(event)}`,
  },
  "feature-uncompleted": {
    label: "Flag no longer completed",
    action: (event) => `continued ${flagOf(event)}, which was completed`,
  },
  "feature-unfavorited": {
    label: "Flag removed from favourites",
    action: (event) => `removed ${flagOf(event)} from their favourites`,
  },
  "feature-untagged": {
    label: "Tag removed from a flag",
    action: (event) => `removed the tag ${tagIn(event.preData)} from ${flagOf(event)}`,
  },
  "feature-type-updated": {
    label: "Flag type changed",
    action: ({ data }) => `changed the lifetime of flags of the type ${textAt(data, "id")}`,
  },
  "features-imported": {
    label: "Flags imported",
    action: ({ data, project }) =>
      `imported flags into the project ${project}: ${countOf(data, "created")} new, ${countOf(data, "updated")} changed`,
  },
  "pat-created": {
    label: "Personal token created",
    action: ({ data }) => `created the personal token ${textAt(data, "description")}`,
  },
  "pat-deleted": {
    label: "Personal token deleted",
    action: ({ preData }) => `deleted the personal token ${textAt(preData, "description")}`,
  },
  "project-access-added": {
    label: "Members added",
    action: ({ project }) => `gave people access to the project ${project}`,
  },
  "project-access-updated": {
    label: "Members changed",
    action: ({ project }) => `changed who has access to the project ${project}`,
  },
  "project-access-user-roles-deleted": {
    label: "Member removed",
    action: ({ project, preData }) => `removed ${accountIn(preData)} from the project ${project}`,
  },
  "project-access-user-roles-updated": {
    label: "Role of a member changed",
    action: ({ project, data }) =>
      `changed the role of ${accountIn(data)} in the project ${project}`,
  },
  "project-archived": {
    label: "Project archived",
    action: ({ project }) => `archived the project ${project}`,
  },
  "project-deleted": {
    label: "Project deleted",
    action: ({ project }) => `deleted the project ${project}`,
  },
  "project-created": {
    label: "Project created",
    action: ({ project }) => `created the project ${project}`,
  },
  "project-environment-added": {
    label: "Environment added to a project",
    action: ({ project, environment }) =>
      `added the environment ${environment} to the project ${project}`,
  },
  "project-environment-removed": {
    label: "Environment removed from a project",
    action: ({ project, environment }) =>
      `removed the environment ${environment} from the project ${project}`,
  },
  "project-favorited": {
    label: "Project added to favourites",
    action: ({ project }) => `added the project ${project} to their favourites`,
  },
  "project-unfavorited": {
    label: "Project removed from favourites",
    action: ({ project }) => `removed the project ${project} from their favourites`,
  },
  "project-revived": {
    label: "Project revived",
    action: ({ project }) => `revived the project ${project} from the archive`,
  },
  "project-updated": {
    label: "Project changed",
    action: ({ project }) => `changed the project ${project}`,
  },
  "public-signup-token-created": {
    label: "Invite link created",
    action: ({ data }) => `created the invite link ${textAt(data, "name")}`,
  },
  "public-signup-token-updated": {
    label: "Invite link changed",
    action: ({ data }) => `changed the invite link ${textAt(data, "name")}`,
  },
  "public-signup-token-user-added": {
    label: "Invite link used",
    action: ({ data }) => `joined with the invite link ${textAt(data, "name")}`,
  },
  "rollout-plan-advanced": {
    label: "Rollout plan moved on",
    action: (event) =>
      `moved the rollout plan of ${flagOf(event)} in ${event.environment} to ${stepIn(event.data)}`,
  },
  "rollout-plan-completed": {
    label: "Rollout plan completed",
    action: (event) =>
      `completed the rollout plan of ${flagOf(event)} in ${event.environment}${percentageIn(event.data, " at ")}`,
  },
  "rollout-plan-deleted": {
    label: "Rollout plan deleted",
    action: (event) =>
      `deleted the rollout plan of ${flagOf(event)} in ${event.environment}${atStep(event.data)}`,
  },
  "rollout-plan-paused": {
    label: "Rollout plan paused",
    action: (event) =>
      `paused the rollout plan of ${flagOf(event)} in ${event.environment}${atStep(event.data)}${reasonOf(event)}`,
  },
  "rollout-plan-resumed": {
    label: "Rollout plan continued",
    action: (event) =>
      `continued the rollout plan of ${flagOf(event)} in ${event.environment}${atStep(event.data)}`,
  },
  "rollout-plan-set": {
    label: "Rollout plan set",
    action: (event) =>
      `set a rollout plan for ${flagOf(event)} in ${event.environment}${stepsIn(event.data)}`,
  },
  "rollout-plan-stopped": {
    label: "Rollout plan stopped",
    action: (event) =>
      `stopped the rollout plan of ${flagOf(event)} in ${event.environment}${atStep(event.data)}${reasonOf(event)}`,
  },
  "segment-created": {
    label: "Segment created",
    action: ({ data }) => `created the segment ${textAt(data, "name")}`,
  },
  "segment-deleted": {
    label: "Segment deleted",
    action: ({ preData }) => `deleted the segment ${textAt(preData, "name")}`,
  },
  "segment-updated": {
    label: "Segment changed",
    action: ({ data }) => `changed the segment ${textAt(data, "name")}`,
  },
  "session-ended": {
    label: "Session ended",
    action: ({ preData }) => `ended a session of ${textAt(fieldsOf(preData)["user"], "name")}`,
  },
  "strategy-created": {
    label: "Strategy type created",
    action: ({ data }) => `created the strategy type ${textAt(data, "name")}`,
  },
  "strategy-deleted": {
    label: "Strategy type deleted",
    action: ({ preData }) => `deleted the strategy type ${textAt(preData, "name")}`,
  },
  "strategy-order-changed": {
    label: "Strategies reordered",
    action: (event) => `reordered the strategies of ${flagOf(event)} in ${event.environment}`,
  },
  "strategy-updated": {
    label: "Strategy type changed",
    action: ({ data }) => `changed the strategy type ${textAt(data, "name")}`,
  },
  "tag-created": {
    label: "Tag created",
    action: ({ data }) => `created the tag ${tagIn(data)}`,
  },
  "tag-deleted": {
    label: "Tag deleted",
    action: ({ preData }) => `deleted the tag ${tagIn(preData)}`,
  },
  "tag-type-created": {
    label: "Tag type created",
    action: ({ data }) => `created the tag type ${textAt(data, "name")}`,
  },
  "tag-type-deleted": {
    label: "Tag type deleted",
    action: ({ preData }) => `deleted the tag type ${textAt(preData, "name")}`,
  },
  "tag-type-updated": {
    label: "Tag type changed",
    action: ({ data }) => `changed the tag type ${textAt(data, "name")}`,
  },
  "user-created": {
    label: "Account created",
    action: ({ data }) => `created the account ${accountIn(data)}`,
  },
  "user-deleted": {
    label: "Account deleted",
    action: ({ preData }) => `deleted the account ${accountIn(preData)}`,
  },
  "user-updated": {
    label: "Account changed",
    action: ({ data }) => `changed the account ${accountIn(data)}`,
  },
};
