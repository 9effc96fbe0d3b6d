import type { Program } from "flags-server-kit";
import { SETTING_GROUPS } from "./config/setting-groups.ts";
import { SETTINGS } from "./config/settings.ts";
import { version } from "./version.ts";

/** The command `flags-admin`. */
export const PROGRAM: Program<typeof SETTINGS> = {
  name: "flags-admin",
  version,
  tagline: "Manages feature flags: the admin API, and the API that SDKs and the proxy poll.",
  displayName: "the service",
  groups: SETTING_GROUPS,
  settings: SETTINGS,
  variablePrefixes: ["DATABASE_", "INIT_ADMIN_", "INIT_CLIENT_", "INIT_FRONTEND_"],
  renamedPrefixes: [{ from: "INIT_BACKEND_", to: "INIT_CLIENT_" }],
};
