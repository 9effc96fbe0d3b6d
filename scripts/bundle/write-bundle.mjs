import { mkdir, rm, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
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

const PACKAGES = new URL("../../packages/", import.meta.url);

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

/**
 * Bundles `flags-server-kit/telemetry` with the packages of OpenTelemetry, which take 40 times as much
 * space when they are installed. See docs/decisions/0036-opentelemetry.md.
 */
export function writeTelemetryBundle() {
  return writeModule("server-kit/dist/telemetry.js", "server-kit/dist/bundle");
}

/** Bundles the store for S3 with the packages of AWS. See docs/decisions/0029-small-s3-client.md. */
export function writeS3Bundle() {
  return writeModule("proxy/dist/store/s3/s3-store.js", "proxy/dist/s3-bundle", {
    "process.env.AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED": "'true'",
  });
}

/** Bundles a module, which has the same name in the directory; `define` replaces expressions. */
async function writeModule(module, directory, define = {}) {
  const input = fileURLToPath(new URL(module, PACKAGES));
  const target = fileURLToPath(new URL(directory, PACKAGES));
  const bundle = await rolldown({
    input,
    platform: "node",
    transform: { define },
    logLevel: "warn",
  });
  const { output } = await bundle.generate({
    format: "esm",
    codeSplitting: false,
    comments: false,
  });
  await bundle.close();
  const [{ code, moduleIds }] = output;
  await rm(target, { recursive: true, force: true });
  await mkdir(target);
  await writeFile(join(target, basename(input)), code);
  await writeFile(join(target, LICENCES_FILE), await collectLicences(moduleIds));
}
