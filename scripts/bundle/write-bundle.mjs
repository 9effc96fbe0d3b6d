import { mkdir, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { rolldown } from "rolldown";
import { collectLicences, LICENCES_FILE } from "./third-party-licences.mjs";

/** The arguments with which packages/server-kit/bundle/load-bundle.js calls the bundle. */
const PARAMETERS = "exports, require, module, __filename, __dirname, importModule";

/**
 * Writes the bundle of a command with the licences of its dependencies, and deletes the previous files.
 *
 * @param command an entry of `commands.mjs`
 */
export async function writeBundle(command) {
  const { source, licences } = await createBundle(command);
  const { file } = command.bundle;
  const directory = dirname(file);
  await rm(directory, { recursive: true, force: true });
  await mkdir(directory);
  await writeFile(file, source, "latin1");
  await writeFile(join(directory, LICENCES_FILE), licences);
}

/** A class that nothing is an instance of. */
const NO_RESPONSE = fileURLToPath(new URL("no-response.mjs", import.meta.url));

async function createBundle({ entry, isExternal, replace }) {
  const bundle = await rolldown({
    input: entry,
    platform: "node",
    external: isExternal,
    plugins: [{ name: "replace", resolveId: (id, importer) => replace?.(id, importer) }],
    // These globals would load the HTTP client that is built into Node.
    transform: {
      define: { "globalThis.Headers": "undefined" },
      inject: { Response: [NO_RESPONSE, "Response"] },
    },
    logLevel: "warn",
  });
  // Not minified, so that stack traces are readable. Strict, since ES modules are.
  const { output } = await bundle.generate({
    format: "cjs",
    codeSplitting: false,
    comments: false,
    strict: true,
  });
  await bundle.close();
  const code = toAscii(replaceImports(output[0].code));
  return {
    source: `(function (${PARAMETERS}) { ${code}\n})`,
    licences: await collectLicences(output[0].moduleIds),
  };
}

/** NOTE: on Node 20, `import()` fails in a script that is loaded with a code cache. */
function replaceImports(code) {
  return code.replace(/(?<![\w$.])import\(/g, "importModule(");
}

/** Escapes non-ASCII characters, which occur only in strings, regular expressions and identifiers. */
function toAscii(code) {
  return code.replace(/(\\?)([^\0-\x7f])/g, (_, backslash, unit) => {
    if (backslash) throw new Error(`Cannot escape ${unit} in the bundle: it follows a backslash`);
    return `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;
  });
}

const TELEMETRY = fileURLToPath(
  new URL("../../packages/server-kit/dist/telemetry.js", import.meta.url),
);
const TELEMETRY_BUNDLE = fileURLToPath(
  new URL("../../packages/server-kit/dist/bundle", import.meta.url),
);

/**
 * Bundles `flags-server-kit/telemetry` with the packages of OpenTelemetry, which take 40 times as much
 * space when they are installed. See docs/decisions/0036-opentelemetry.md.
 */
export async function writeTelemetryBundle() {
  const bundle = await rolldown({ input: TELEMETRY, platform: "node", logLevel: "warn" });
  const { output } = await bundle.generate({
    format: "esm",
    codeSplitting: false,
    comments: false,
  });
  await bundle.close();
  const [{ code, moduleIds }] = output;
  await rm(TELEMETRY_BUNDLE, { recursive: true, force: true });
  await mkdir(TELEMETRY_BUNDLE);
  await writeFile(join(TELEMETRY_BUNDLE, "telemetry.js"), code);
  await writeFile(join(TELEMETRY_BUNDLE, LICENCES_FILE), await collectLicences(moduleIds));
}
