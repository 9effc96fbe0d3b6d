import type { Level, Role } from "../access/role.ts";

/** What somebody can be in a project. */
export type ProjectRole = "member" | "owner";

/** NOTE: the ids are those of the protocol. Scripts contain them. */
export const ROOT_ROLES = {
  admin: {
    id: 1,
    type: "root",
    name: "Admin",
    description: "Can change everything, including accounts and all projects",
    project: null,
  },
  editor: {
    id: 2,
    type: "root",
    name: "Editor",
    description: "Can change flags in open projects",
    project: null,
  },
  viewer: {
    id: 3,
    type: "root",
    name: "Viewer",
    description: "Can read everything in open and protected projects",
    project: null,
  },
} as const satisfies Readonly<Record<Role, object>>;

export const PROJECT_ROLES = {
  owner: {
    id: 4,
    type: "project",
    name: "Owner",
    description: "Can change the flags, the settings, the tokens and the members of a project",
    project: null,
  },
  member: {
    id: 5,
    type: "project",
    name: "Member",
    description: "Can change the flags of a project",
    project: null,
  },
} as const satisfies Readonly<Record<ProjectRole, object>>;

/** All roles, by id. */
export const ALL_ROLES = [...Object.values(ROOT_ROLES), ...Object.values(PROJECT_ROLES)];

/** The permissions of the protocol, by what they require here. */
const ROOT_PERMISSIONS: Readonly<Record<string, Level>> = {
  ADMIN: "admin",
  CREATE_PROJECT: "admin",
  CREATE_SEGMENT: "editor",
  UPDATE_SEGMENT: "editor",
  DELETE_SEGMENT: "editor",
  CREATE_CONTEXT_FIELD: "editor",
  UPDATE_CONTEXT_FIELD: "editor",
  DELETE_CONTEXT_FIELD: "editor",
  CREATE_TAG_TYPE: "admin",
  UPDATE_TAG_TYPE: "admin",
  DELETE_TAG_TYPE: "admin",
  READ_ROLE: "viewer",
};

const PROJECT_PERMISSIONS: Readonly<Record<string, Level>> = {
  CREATE_FEATURE: "editor",
  UPDATE_FEATURE: "editor",
  DELETE_FEATURE: "editor",
  UPDATE_FEATURE_DEPENDENCY: "editor",
  UPDATE_FEATURE_VARIANTS: "editor",
  MOVE_FEATURE_TOGGLE: "editor",
  UPDATE_PROJECT: "owner",
  DELETE_PROJECT: "admin",
  READ_PROJECT_API_TOKEN: "viewer",
  CREATE_PROJECT_API_TOKEN: "owner",
  DELETE_PROJECT_API_TOKEN: "owner",
  UPDATE_PROJECT_CONTEXT: "editor",
  UPDATE_PROJECT_SEGMENT: "editor",
  PROJECT_USER_ACCESS_READ: "viewer",
  PROJECT_USER_ACCESS_WRITE: "owner",
  PROJECT_DEFAULT_STRATEGY_READ: "viewer",
  PROJECT_DEFAULT_STRATEGY_WRITE: "owner",
  PROJECT_SETTINGS_READ: "viewer",
  PROJECT_SETTINGS_WRITE: "owner",
};

const ENVIRONMENT_PERMISSIONS: Readonly<Record<string, Level>> = {
  CREATE_FEATURE_STRATEGY: "editor",
  UPDATE_FEATURE_STRATEGY: "editor",
  DELETE_FEATURE_STRATEGY: "editor",
  UPDATE_FEATURE_ENVIRONMENT: "editor",
  UPDATE_FEATURE_ENVIRONMENT_VARIANTS: "editor",
};

export const PERMISSIONS = {
  root: ROOT_PERMISSIONS,
  project: PROJECT_PERMISSIONS,
  environment: ENVIRONMENT_PERMISSIONS,
} as const;
