import { getTableName } from "drizzle-orm";
import type { PgTable } from "drizzle-orm/pg-core";
import {
  inviteLinks,
  invitedUsers,
  personalTokens,
  projectMembers,
  setupCodes,
  userLinks,
  users,
} from "./accounts.ts";
import { apiTokens, deletedTokens, sessions } from "./access.ts";
import {
  changeRequestChanges,
  changeRequestComments,
  changeRequestReviewers,
  changeRequestReviews,
  changeRequests,
} from "./change-requests.ts";
import { contextFields, environments, projectEnvironments, projects } from "./projects.ts";
import { events } from "./events.ts";
import { favoriteFeatures, favoriteProjects } from "./favorites.ts";
import { installations } from "./installations.ts";
import {
  dependencies,
  featureEnvironments,
  featureLinks,
  features,
  featureTags,
  featureTypes,
  tags,
  tagTypes,
} from "./features.ts";
import { lifecycles, staleChecks } from "./lifecycles.ts";
import { addons, notifications } from "./notifications.ts";
import { rolloutPlans } from "./rollout-plans.ts";
import { segments, strategies, strategySegments, strategyTypes } from "./strategies.ts";
import {
  applicationInstances,
  applications,
  featureUsage,
  featureUsageDays,
  unknownFlags,
  variantUsage,
  variantUsageDays,
} from "./usage.ts";

interface TableUse {
  readonly table: PgTable;
  /** Whether backups contain it. Anyone who has a backup can read its secrets. */
  readonly isBackedUp: boolean;
}

/** All tables apart from the versions of the schema. A test compares them with a migrated database. */
export const TABLES: readonly TableUse[] = [
  { table: addons, isBackedUp: true },
  { table: apiTokens, isBackedUp: true },
  { table: applicationInstances, isBackedUp: true },
  { table: applications, isBackedUp: true },
  { table: changeRequestChanges, isBackedUp: true },
  { table: changeRequestComments, isBackedUp: true },
  { table: changeRequestReviewers, isBackedUp: true },
  { table: changeRequestReviews, isBackedUp: true },
  { table: changeRequests, isBackedUp: true },
  { table: contextFields, isBackedUp: true },
  // A token that was deleted before the backup stays deleted after it is restored.
  { table: deletedTokens, isBackedUp: true },
  { table: dependencies, isBackedUp: true },
  { table: environments, isBackedUp: true },
  { table: events, isBackedUp: true },
  { table: favoriteFeatures, isBackedUp: true },
  { table: favoriteProjects, isBackedUp: true },
  { table: featureEnvironments, isBackedUp: true },
  { table: featureLinks, isBackedUp: true },
  { table: features, isBackedUp: true },
  { table: featureTags, isBackedUp: true },
  { table: featureTypes, isBackedUp: true },
  { table: featureUsage, isBackedUp: true },
  { table: featureUsageDays, isBackedUp: true },
  // A restored installation is the same one.
  { table: installations, isBackedUp: true },
  { table: inviteLinks, isBackedUp: true },
  { table: invitedUsers, isBackedUp: true },
  { table: lifecycles, isBackedUp: true },
  // Nothing must be sent again because a backup was restored.
  { table: notifications, isBackedUp: false },
  { table: personalTokens, isBackedUp: true },
  { table: projectEnvironments, isBackedUp: true },
  { table: projectMembers, isBackedUp: true },
  { table: projects, isBackedUp: true },
  { table: rolloutPlans, isBackedUp: true },
  { table: segments, isBackedUp: true },
  // Nobody should stay signed in because a backup was restored.
  { table: sessions, isBackedUp: false },
  // It was printed for the installation that issued it.
  { table: setupCodes, isBackedUp: false },
  // A restored database is examined soon.
  { table: staleChecks, isBackedUp: false },
  { table: strategies, isBackedUp: true },
  { table: strategySegments, isBackedUp: true },
  { table: strategyTypes, isBackedUp: true },
  { table: tags, isBackedUp: true },
  { table: tagTypes, isBackedUp: true },
  { table: unknownFlags, isBackedUp: true },
  // A link must not work again because a backup was restored.
  { table: userLinks, isBackedUp: false },
  { table: users, isBackedUp: true },
  { table: variantUsage, isBackedUp: true },
  { table: variantUsageDays, isBackedUp: true },
];

/** The names of the tables that backups contain. */
export const BACKED_UP_TABLES: readonly string[] = TABLES.filter(
  ({ isBackedUp }) => isBackedUp,
).map(({ table }) => getTableName(table));
