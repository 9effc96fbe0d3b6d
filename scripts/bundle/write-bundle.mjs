import { mkdir, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { rolldown } from "rolldown";
import { BUNDLE_FILE } from "../../packages/proxy/bin/load-bundle.js";
import { collectLicences, LICENCES_FILE } from "./third-party-licences.mjs";

const ENTRY = fileURLToPath(new URL("../../packages/proxy/dist/main.js", import.meta.url));

/** The arguments that bin/load-bundle.js passes. */
const PARAMETERS = "exports, require, module, __filename, __dirname, importModule";

/** Writes the bundle with the licences of its dependencies, and deletes the previous files. */
export async function writeBundle() {
  const { source, licences } = await createBundle();
  const directory = dirname(BUNDLE_FILE);
  await rm(directory, { recursive: true, force: true });
  await mkdir(directory);
  await writeFile(BUNDLE_FILE, source, "latin1");
  await writeFile(join(directory, LICENCES_FILE), licences);
}

async function createBundle() {
  const bundle = await rolldown({
    input: ENTRY,
    platform: "node",
    // The first serves files next to its own code. Both are loaded only when they are enabled.
    external: [/^@fastify\/swagger/, "flags-server-kit/telemetry"],
    // These globals would load the HTTP client that is built into Node, in addition to the bundled one.
    transform: {
      define: { "globalThis.Headers": "undefined" },
      inject: { Response: ["undici", "Response"] },
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
