import { createRequire } from "node:module";

const manifest: { readonly version: string } = createRequire(import.meta.url)(
  "flags-admin/package.json",
);

/** The version of this package. */
export const version: string = manifest.version;
