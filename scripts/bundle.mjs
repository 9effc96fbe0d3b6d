// The last step of `npm run build`: bundles OpenTelemetry and the packages of AWS; bundles each command and its other dependencies into
// one file, and writes V8's code cache for it. See docs/decisions/0013-bundle-with-code-cache.md. Compresses the
// files of the console, and copies those of Swagger UI. Writes the template of the embedded database.

import { fileURLToPath } from "node:url";
import { ADMIN, PROXY } from "./bundle/commands.mjs";
import { compressConsole } from "./bundle/compress-console.mjs";
import { copySwaggerUi } from "./bundle/copy-swagger-ui.mjs";
import { writeDatabaseTemplate } from "./bundle/write-database-template.mjs";
import { writeBundle, writeS3Bundle, writeTelemetryBundle } from "./bundle/write-bundle.mjs";
import { recordBuild } from "./workspace.mjs";

const CONSOLE = fileURLToPath(new URL("../packages/admin/dist/console/assets", import.meta.url));
const SWAGGER_UI = fileURLToPath(new URL("../packages/proxy/dist/swagger-ui", import.meta.url));
const TEMPLATE = fileURLToPath(
  new URL("../packages/admin/dist/database/empty.tar.br", import.meta.url),
);

await Promise.all([
  writeTelemetryBundle(),
  writeS3Bundle(),
  ...[PROXY, ADMIN].map(writeBundle),
  compressConsole(CONSOLE),
  copySwaggerUi(SWAGGER_UI),
  writeDatabaseTemplate(TEMPLATE),
]);
try {
  await import("./bundle/write-code-caches.mjs");
} catch (error) {
  console.warn(`Cannot write a code cache, so the command starts more slowly: ${error.message}`);
}
await recordBuild();
