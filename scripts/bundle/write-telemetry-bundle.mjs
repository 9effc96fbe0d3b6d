import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { rolldown } from "rolldown";
import { collectLicences, LICENCES_FILE } from "./third-party-licences.mjs";

const ENTRY = fileURLToPath(
  new URL("../../packages/server-kit/dist/telemetry.js", import.meta.url),
);
const DIRECTORY = fileURLToPath(new URL("../../packages/server-kit/dist/bundle", import.meta.url));

/**
 * Bundles `flags-server-kit/telemetry` with the packages of OpenTelemetry, which take 40 times as much
 * space when they are installed. See docs/decisions/0036-opentelemetry.md.
 */
export async function writeTelemetryBundle() {
  const bundle = await rolldown({ input: ENTRY, platform: "node", logLevel: "warn" });
  const { output } = await bundle.generate({
    format: "esm",
    codeSplitting: false,
    comments: false,
  });
  await bundle.close();
  const [{ code, moduleIds }] = output;
  await rm(DIRECTORY, { recursive: true, force: true });
  await mkdir(DIRECTORY);
  await writeFile(join(DIRECTORY, "telemetry.js"), code);
  await writeFile(join(DIRECTORY, LICENCES_FILE), await collectLicences(moduleIds));
}
