// The commands that `npm run build` bundles.

import { fileURLToPath } from "node:url";
import { bundle as adminBundle } from "../../packages/admin/bin/load-bundle.js";
import { bundle as proxyBundle } from "../../packages/proxy/bin/load-bundle.js";

/** A bundle of its own, which the commands load only when it is enabled. */
const TELEMETRY = "flags-server-kit/telemetry";

/** Another one, which the proxy loads only with a bucket as its store. */
const S3_STORE = "#s3-store";

/** Serves files next to its own code, with the other package, which it loads from its own dependencies. */
const STATIC_FILES = /^@fastify\/(?:swagger-ui|static)/;

/** Used only with OpenID Connect, and need the globals that the bundle replaces. */
const OPENID = /^(?:jose|openid-client)$/;

/** Reads its WebAssembly program from files next to its own code, and is loaded only when it is used. */
const PGLITE = /^@electric-sql\/pglite/;

/** Used only by proxies with Redis. It would make the bundle a fifth larger, and every start slower. */
const REDIS = "@redis/client";

export const PROXY = {
  bundle: proxyBundle,
  loader: pathOf("../../packages/proxy/bin/load-bundle.js"),
  entry: pathOf("../../packages/proxy/dist/main.js"),
  isExternal: (id) => id === REDIS || id === TELEMETRY || id === S3_STORE,
};

export const ADMIN = {
  bundle: adminBundle,
  loader: pathOf("../../packages/admin/bin/load-bundle.js"),
  entry: pathOf("../../packages/admin/dist/main.js"),
  // `pg` uses the native client only if it is installed.
  isExternal: (id, importer) =>
    STATIC_FILES.test(id) ||
    OPENID.test(id) ||
    id === TELEMETRY ||
    id === "pg-native" ||
    (PGLITE.test(id) && !isDrizzle(importer)),
  // Drizzle needs only these numbers, and would load PGlite at every start.
  replace: (id, importer) =>
    PGLITE.test(id) && isDrizzle(importer) ? pathOf("pglite-types.mjs") : undefined,
};

function isDrizzle(path) {
  return /[\\/]node_modules[\\/]drizzle-orm[\\/]/.test(path ?? "");
}

function pathOf(path) {
  return fileURLToPath(new URL(path, import.meta.url));
}
