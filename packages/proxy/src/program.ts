import type { Program } from "flags-server-kit";
import { SETTING_GROUPS } from "./config/setting.ts";
import { SETTINGS } from "./config/settings.ts";
import { version } from "./version.ts";

/** The command `flags-proxy`. */
export const PROGRAM: Program<typeof SETTINGS> = {
  name: "flags-proxy",
  version,
  tagline: "Evaluates feature flags on the server for browsers and mobile apps.",
  displayName: "the proxy",
  groups: SETTING_GROUPS,
  settings: SETTINGS,
  variablePrefixes: ["FLAGS_"],
  renamedPrefixes: [
    { from: "UNLEASH_", to: "FLAGS_" },
    { from: "unleash", to: "flags" },
  ],
};
