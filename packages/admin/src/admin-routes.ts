import { registerArchive } from "./archive/routes.ts";
import { registerContextFields } from "./context-fields/routes.ts";
import { registerDependencies } from "./dependencies/routes.ts";
import { registerEnvironments } from "./environments/routes.ts";
import { registerEvents } from "./events/routes.ts";
import { registerFeatureEnvironments } from "./features/environment-routes.ts";
import { registerFeatures } from "./features/routes.ts";
import { registerFeatureSearch } from "./features/search-routes.ts";
import type { TypedApp } from "flags-server-kit/http";
import { registerProjects } from "./projects/routes.ts";
import { registerSegments } from "./segments/routes.ts";
import type { Storage } from "./storage/storage.ts";
import { registerStrategies } from "./strategies/routes.ts";
import { registerStrategyTypes } from "./strategies/strategy-type-routes.ts";
import { registerTags } from "./tags/routes.ts";
import { registerTagTypes } from "./tags/tag-type-routes.ts";
import { registerTransfer } from "./transfer/routes.ts";
import { registerTokens } from "./tokens/routes.ts";
import { registerUsageReports } from "./usage/report-routes.ts";

/** Everything below `/api/admin`, by families of paths. */
const FAMILIES: readonly ((app: TypedApp, storage: Storage) => void)[] = [
  registerContextFields,
  registerProjects,
  registerEnvironments,
  registerFeatures,
  registerFeatureEnvironments,
  registerFeatureSearch,
  registerArchive,
  registerStrategies,
  registerStrategyTypes,
  registerSegments,
  registerTags,
  registerTagTypes,
  registerDependencies,
  registerTransfer,
  registerTokens,
  registerUsageReports,
  registerEvents,
];

export function registerAdminRoutes(app: TypedApp, storage: Storage): void {
  for (const register of FAMILIES) register(app, storage);
}
