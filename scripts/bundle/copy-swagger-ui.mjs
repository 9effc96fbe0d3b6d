import { copyFile, mkdir } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";

/** What the page of the proxy's API loads. */
const FILES = ["index.css", "swagger-ui.css", "swagger-ui-bundle.js"];

/** Copies the files of Swagger UI, so that the proxy does not depend on the plugin that contains them. */
export async function copySwaggerUi(directory) {
  const plugin = dirname(
    createRequire(import.meta.url).resolve("@fastify/swagger-ui/package.json"),
  );
  await mkdir(directory, { recursive: true });
  await Promise.all(
    FILES.map((name) => copyFile(join(plugin, "static", name), join(directory, name))),
  );
}
