import { createRequire } from "node:module";

const manifest: { readonly version: string } = createRequire(import.meta.url)(
  "flags-proxy/package.json",
);

/** The version of flags-proxy. */
export const version: string = manifest.version;
