import { mkdir, rm, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { rolldown } from "rolldown";
import { BUNDLE_FILE } from "../../packages/proxy/bin/load-bundle.js";

const ENTRY = fileURLToPath(new URL("../../packages/proxy/dist/main.js", import.meta.url));

/** What bin/load-bundle.js calls it with: what Node passes to a module, and `import`. */
const PARAMETERS = "exports, require, module, __filename, __dirname, importModule";

/** Writes the bundle, and deletes all that was made of the one before. */
export async function writeBundle() {
  const source = await makeSource();
  const directory = dirname(BUNDLE_FILE);
  await rm(directory, { recursive: true, force: true });
  await mkdir(directory);
  await writeFile(BUNDLE_FILE, source, "latin1");
}

async function makeSource() {
  const bundle = await rolldown({
    input: ENTRY,
    platform: "node",
    // Serves files that lie beside its own code, and is loaded only where it is wanted.
    external: [/^@fastify\/swagger/],
    // Node has an HTTP client built in, which these names would load beside ours, the same one.
    transform: {
      define: { "globalThis.Headers": "undefined" },
      inject: { Response: ["undici", "Response"] },
    },
    logLevel: "warn",
  });
  // Names and lines stay as they are, for stack traces. Modules are strict, and so is the bundle.
  const { output } = await bundle.generate({
    format: "cjs",
    codeSplitting: false,
    comments: false,
    strict: true,
  });
  await bundle.close();
  const code = toAscii(passImports(output[0].code));
  return `(function (${PARAMETERS}) { ${code}\n})`;
}

/** NOTE: in a script that is loaded with compiled code, `import()` fails on Node 20. */
function passImports(code) {
  return code.replace(/(?<![\w$.])import\(/g, "importModule(");
}

/** Escapes stand for themselves in texts, patterns and names, the only places where they occur. */
function toAscii(code) {
  return code.replace(/(\\?)([^\0-\x7f])/g, (_, backslash, unit) => {
    if (backslash) throw new Error(`Cannot escape ${unit} in the bundle: a backslash is before it`);
    return `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;
  });
}
