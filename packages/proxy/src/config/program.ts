import { createRequire } from "node:module";
import type { Program } from "flags-server-kit/command-line";
import { SETTINGS } from "./settings.ts";

const manifest: { readonly version: string } = createRequire(import.meta.url)(
  "flags-proxy/package.json",
);

export const PROGRAM: Program<typeof SETTINGS> = {
  name: "flags-proxy",
  version: manifest.version,
  tagline: "Evaluates feature flags on the server for browsers and mobile apps.",
  displayName: "the proxy",
  settings: SETTINGS,
  variablePrefixes: ["FLAGS_", "CORS_"],
  renamedPrefixes: [],
};
