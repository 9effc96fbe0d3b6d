import type { Program } from "flags-server-kit";
import { version } from "../version.ts";
import { SETTING_GROUPS, SETTINGS } from "./settings.ts";

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
