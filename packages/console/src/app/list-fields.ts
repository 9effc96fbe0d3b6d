// What the lists of the console keep in the address of their page: see `ListFields`. In one file, because the router reads
// addresses before it loads pages.

export const PROJECT_FIELDS = { tab: ["active", "archived"], query: "", sort: "" } as const;

export const ALL_FLAG_FIELDS = {
  query: "",
  project: "",
  type: "",
  state: ["all", "active", "potentially-stale", "stale"],
  sort: ["name", "-name", "createdAt", "-createdAt", "lastSeenAt", "-lastSeenAt"],
  /** How many pages have been loaded: empty for one. */
  pages: "",
} as const;

export const CLEANUP_FIELDS = { tab: ["flags", "lifetimes"] } as const;

export const ARCHIVE_FIELDS = { query: "", sort: "" } as const;

/** The results of the playground. */
export const RESULT_FIELDS = {
  query: "",
  show: ["all", "on", "off", "variant", "different"],
  /** How many are shown: empty for the first ones. */
  shown: "",
} as const;

export const SEGMENT_FIELDS = { query: "", sort: "" } as const;

export const CONTEXT_FIELD_FIELDS = { query: "", sort: "" } as const;

export const TAG_FIELDS = { tab: ["tags", "types"], query: "", sort: "" } as const;

export const USER_FIELDS = { query: "", role: "" } as const;

export const TOKEN_FIELDS = { query: "", type: "", environment: "", sort: "" } as const;

export const APPLICATION_FIELDS = { query: "", sort: "" } as const;

/** The events of all projects, and those of one flag. */
/** The period of the usage of a flag. */
export const USAGE_FIELDS = { period: "24h" } as const;

export const EVENT_FIELDS = {
  query: "",
  type: "",
  createdBy: "",
  project: "",
  feature: "",
  /** Days, such as 2026-03-31. */
  from: "",
  to: "",
  /** How many pages have been loaded: empty for one. */
  pages: "",
} as const;

export const CHANGE_REQUEST_FIELDS = { tab: ["waiting", "own", "open", "closed"] } as const;

export const PROJECT_CHANGE_REQUEST_FIELDS = { tab: ["open", "closed"] } as const;
