import type { TypedApp } from "./http/typed-app.ts";
import { registerTokens } from "./access/token-routes.ts";
import { registerUser } from "./access/user-routes.ts";
import { registerArchive } from "./domain/archive/routes.ts";
import { registerChangeRequestConfig } from "./change-requests/config-routes.ts";
import { registerChangeRequests } from "./change-requests/routes.ts";
import { registerConstraints } from "./domain/constraints/routes.ts";
import { registerContextFields } from "./domain/context-fields/routes.ts";
import { registerDependencies } from "./domain/dependencies/routes.ts";
import { registerEnvironments } from "./domain/environments/routes.ts";
import { registerEvents } from "./domain/events/routes.ts";
import { registerFavorites } from "./domain/favorites/routes.ts";
import { registerFeatureEnvironments } from "./domain/features/environment-routes.ts";
import { registerFeatureTypes } from "./domain/feature-types.ts";
import { registerFeatures } from "./domain/features/routes.ts";
import { registerLifecycle } from "./domain/lifecycle/routes.ts";
import { registerLinks } from "./domain/links/routes.ts";
import { registerProjects } from "./domain/projects/routes.ts";
import { registerProjectTokens } from "./domain/projects/token-routes.ts";
import { registerSegments } from "./domain/segments/routes.ts";
import { registerStrategies } from "./domain/strategies/routes.ts";
import { registerStrategyTypes } from "./domain/strategy-types/routes.ts";
import { registerTagTypes } from "./domain/tag-types.ts";
import { registerTags } from "./domain/tags/routes.ts";
import { registerVariants } from "./domain/variants/routes.ts";
import { registerCleanup } from "./lifecycle/routes.ts";
import { registerRestore } from "./restore/routes.ts";
import { registerRolloutPlans } from "./rollout-plans/routes.ts";
import { type InstanceOptions, registerInstance } from "./instance/routes.ts";
import { registerPlayground } from "./playground/routes.ts";
import type { Retention } from "./retention.ts";
import type { Storage } from "./storage/storage.ts";
import { registerTransfer } from "./transfer/routes.ts";
import { registerApplications } from "./usage/application-routes.ts";
import { registerUsageQueries } from "./usage/query-routes.ts";

/**
 * The routes below `/api/admin`, apart from `/changes`, which `app.ts` registers. To add an endpoint:
 *
 * 1. Add it to the routes of its resource. `operation()` requires its id in the OpenAPI document, and its role.
 * 2. If it records events of a new type, add the type to `EventType` in `storage/events.ts`. The type checker then requires
 *    you to say what SDKs read it changes, and to add its words to `event-words/event-words.ts`. Add what the
 *    console then reads again to `console/src/changes/live-changes.ts`.
 * 3. If the console calls it, add its response to `console/src/api/types.ts`, and a query to `console/src/api/queries.ts`.
 *
 * To add a resource, first create a file in `domain/` with its schemas, routes and database functions, such as
 * `tag-types.ts`; or, if it would be long, a folder with `routes.ts`, `schemas.ts` and `store.ts`. Then add a line here.
 * `storage/migrations/migration.ts` says how to add its tables.
 */
const ROUTES: readonly ((app: TypedApp, storage: Storage) => void)[] = [
  registerContextFields,
  registerProjects,
  registerEnvironments,
  registerFeatures,
  registerFavorites,
  registerLinks,
  registerLifecycle,
  registerCleanup,
  registerFeatureTypes,
  registerFeatureEnvironments,
  registerArchive,
  registerChangeRequestConfig,
  registerChangeRequests,
  registerRolloutPlans,
  registerRestore,
  registerConstraints,
  registerStrategies,
  registerVariants,
  registerStrategyTypes,
  registerSegments,
  registerTags,
  registerTagTypes,
  registerDependencies,
  registerTransfer,
  registerUser,
  registerTokens,
  registerProjectTokens,
  registerEvents,
  registerPlayground,
  registerApplications,
];

interface AdminRoutesOptions extends InstanceOptions {
  readonly retention: Retention;
}

/** Registers all routes below `/api/admin`. */
export function registerAdminRoutes(app: TypedApp, options: AdminRoutesOptions): void {
  for (const register of ROUTES) register(app, options.storage);
  registerUsageQueries(app, options);
  registerInstance(app, options);
}
