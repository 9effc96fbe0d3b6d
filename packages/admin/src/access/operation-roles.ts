import type { FastifyInstance } from "fastify";
import { ApiError } from "../errors.ts";
import { OPERATION_IDS } from "../http/operation-ids.ts";
import { callerOf } from "./request-identity.ts";
import { includesRole, type Role } from "./role.ts";

/**
 * The role that each operation of the admin API requires, by operation id. Viewers read, and call
 * operations that change nothing. Editors change flags and their parts. Operations that affect
 * access, other projects or data that cannot be restored are for admins.
 */
export const OPERATION_ROLES: Readonly<Record<string, Role>> = {
  getMe: "viewer",
  streamChanges: "viewer",
  getPlayground: "viewer",
  getAdvancedPlayground: "viewer",
  getContextFields: "viewer",
  getContextField: "viewer",
  getStrategiesByContextField: "viewer",
  validateContextFieldName: "viewer",
  getProjectContextFields: "viewer",
  getProjectContextField: "viewer",
  getStrategiesByProjectContextField: "viewer",
  validateProjectContextFieldName: "viewer",
  getProjects: "viewer",
  getProject: "viewer",
  getProjectOverview: "viewer",
  validateProject: "viewer",
  getAllEnvironments: "viewer",
  getEnvironment: "viewer",
  getProjectEnvironments: "viewer",
  validateEnvironmentName: "viewer",
  getFeatures: "viewer",
  getFeature: "viewer",
  getAllFeatureTypes: "viewer",
  validateFeature: "viewer",
  getFeatureEnvironment: "viewer",
  getEnvironmentFeatureVariants: "viewer",
  searchFeatures: "viewer",
  validateArchiveFeatures: "viewer",
  getArchivedFeatures: "viewer",
  getArchivedFeaturesByProjectId: "viewer",
  getFeatureStrategies: "viewer",
  getFeatureStrategy: "viewer",
  validateConstraint: "viewer",
  getAllStrategies: "viewer",
  getStrategy: "viewer",
  getSegments: "viewer",
  getSegment: "viewer",
  getStrategiesBySegmentId: "viewer",
  getSegmentsByStrategyId: "viewer",
  validateSegment: "viewer",
  listTags: "viewer",
  getTags: "viewer",
  getTagsByType: "viewer",
  getTag: "viewer",
  getTagTypes: "viewer",
  getTagType: "viewer",
  validateTagType: "viewer",
  listParentOptions: "viewer",
  listParentVariantOptions: "viewer",
  checkDependenciesExist: "viewer",
  exportProject: "viewer",
  exportFeatures: "viewer",
  getAllApiTokens: "viewer",
  getProjectApiTokens: "viewer",
  getApiTokensByName: "viewer",
  getRawFeatureMetrics: "viewer",
  getFeatureUsageSummary: "viewer",
  getApplications: "viewer",
  getApplication: "viewer",
  getApplicationOverview: "viewer",
  getApplicationEnvironmentInstances: "viewer",
  getInstanceAdminStats: "viewer",
  getInstanceAdminStatsCsv: "viewer",
  getUiConfig: "viewer",
  getProjectApplications: "viewer",
  getProjectFlagCreators: "viewer",
  getEventCreators: "viewer",
  searchEvents: "viewer",
  getEvents: "viewer",
  getEventsForToggle: "viewer",

  overwriteEnvironmentFeatureVariants: "editor",
  patchEnvironmentsFeatureVariants: "editor",
  overwriteFeatureVariantsOnEnvironments: "editor",
  createContextField: "editor",
  updateContextField: "editor",
  deleteContextField: "editor",
  updateContextFieldLegalValue: "editor",
  deleteContextFieldLegalValue: "editor",
  createProjectContextField: "editor",
  updateProjectContextField: "editor",
  deleteProjectContextField: "editor",
  updateProjectContextFieldLegalValue: "editor",
  deleteProjectContextFieldLegalValue: "editor",
  createFeature: "editor",
  cloneFeature: "editor",
  updateFeature: "editor",
  patchFeature: "editor",
  archiveFeature: "editor",
  staleFeatures: "editor",
  toggleFeatureEnvironmentOn: "editor",
  toggleFeatureEnvironmentOff: "editor",
  bulkToggleFeaturesEnvironmentOn: "editor",
  bulkToggleFeaturesEnvironmentOff: "editor",
  archiveFeatures: "editor",
  reviveFeatures: "editor",
  reviveFeature: "editor",
  addFeatureStrategy: "editor",
  updateFeatureStrategy: "editor",
  patchFeatureStrategy: "editor",
  deleteFeatureStrategy: "editor",
  setStrategySortOrder: "editor",
  createSegment: "editor",
  updateSegment: "editor",
  removeSegment: "editor",
  updateFeatureStrategySegments: "editor",
  addTag: "editor",
  updateTags: "editor",
  removeTag: "editor",
  addTagToFeatures: "editor",
  createTag: "editor",
  deleteTag: "editor",
  addFeatureDependency: "editor",
  deleteFeatureDependencies: "editor",
  deleteFeatureDependency: "editor",
  // Not for viewers, although it changes nothing: it runs the import in a write transaction, which other changes wait
  // for, and rolls it back.
  validateImport: "editor",
  importProject: "editor",
  importToggles: "editor",

  createProjectApiToken: "admin",
  deleteProjectApiToken: "admin",
  createProject: "admin",
  updateProject: "admin",
  updateProjectEnterpriseSettings: "admin",
  deleteProject: "admin",
  archiveProject: "admin",
  reviveProject: "admin",
  addEnvironmentToProject: "admin",
  removeEnvironmentFromProject: "admin",
  addDefaultStrategyToProjectEnvironment: "admin",
  createEnvironment: "admin",
  cloneEnvironment: "admin",
  updateSortOrder: "admin",
  updateEnvironment: "admin",
  removeEnvironment: "admin",
  toggleEnvironmentOn: "admin",
  toggleEnvironmentOff: "admin",
  deleteFeatures: "admin",
  deleteFeature: "admin",
  createStrategy: "admin",
  updateStrategy: "admin",
  deprecateStrategy: "admin",
  reactivateStrategy: "admin",
  removeStrategy: "admin",
  updateFeatureTypeLifetime: "admin",
  createTagType: "admin",
  updateTagType: "admin",
  deleteTagType: "admin",
  deleteApplication: "admin",
  getSessions: "admin",
  endSession: "admin",
  createApiToken: "admin",
  updateApiToken: "admin",
  deleteApiToken: "admin",
};

/**
 * Makes a scope reject callers whose role does not include the role that the operation requires. Call it after
 * the hook that finds the caller, and before adding routes.
 *
 * @throws {TypeError} if a route that is added later has no role
 */
export function requireRoles(scope: FastifyInstance): void {
  scope.addHook("onRoute", ({ method, url }) => {
    for (const each of [method].flat()) requiredRole(each, url);
  });
  scope.addHook("onRequest", async (request) => {
    const required = requiredRole(request.method, request.routeOptions.url ?? "");
    const { role } = callerOf(request);
    if (includesRole(role, required)) return;
    throw new ApiError(
      "PermissionError",
      `This requires the role ${required}, but you have the role ${role}: contact an admin`,
    );
  });
}

function requiredRole(method: string, url: string): Role {
  // Each GET route has a HEAD route.
  const id = OPERATION_IDS[`${method === "HEAD" ? "GET" : method} ${url}`];
  const role = id === undefined ? undefined : OPERATION_ROLES[id];
  if (role === undefined) {
    throw new TypeError(`Add ${method} ${url} to OPERATION_IDS and OPERATION_ROLES`);
  }
  return role;
}
