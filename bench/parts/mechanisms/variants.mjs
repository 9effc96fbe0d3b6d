// Variants of our proxy that lack one mechanism each: copies of the built bundle with one place replaced.

import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { warmUpProxy } from "../../../scripts/bundle/warm-up.mjs";
import { writeCodeCache } from "../../../scripts/bundle/write-code-cache.mjs";
import { startOurs } from "../../peers/peers.mjs";

const ROOT = fileURLToPath(new URL("../../..", import.meta.url));
const PACKAGE = join("packages", "proxy");
const BUNDLE = join(PACKAGE, "dist", "bundle", "flags-proxy.js");
const COMMAND = join(PACKAGE, "bin", "flags-proxy.js");
const UNBUNDLED = pathToFileURL(join(ROOT, PACKAGE, "dist", "main.js")).href;

/**
 * Replacements in the bundle that remove one mechanism each. Each pattern must match exactly once: if the
 * source changes, the benchmark fails immediately, and the pattern must be updated.
 */
const REFRESH_PATCHES = {
  // Time slicer (packages/sdk): does all steps of a task in one slice.
  "time slicing": [
    /while \(step\.done !== true && performance\.now\(\) < endMs\)/,
    "while (step.done !== true)",
  ],
};
const REQUEST_PATCHES = {
  // Listener (packages/proxy): sends each response as soon as it is ready, instead of after the event-loop tick.
  "deferred sending": [/setImmediate\((?=\(\) => write\(exchange)/, "((send) => send())("],
  // Response cache (packages/proxy): caches nothing.
  "response cache": [/(?<=if \()(?=this\.#recent\.increment\(hash\) >=)/, "false && "],
  // Compression (packages/proxy): compresses each body, even if an equal one was compressed before.
  "shared bodies": [/isShareable === true \? this\.#share\(body\) : body/, "body"],
};

/**
 * Writes the variants to a temporary directory, each with its own code cache, as a build would. Compare
 * copies only with copies.
 *
 * @returns functions like `startOurs()`: `unchanged`, `withoutCodeCache`, `unbundled`, and by mechanism `withoutRefresh` and
 *   `withoutRequest`; and `remove`
 * @throws when a pattern does not match exactly once
 */
export async function createVariants() {
  const source = await readFile(join(ROOT, BUNDLE), "latin1");
  const patched = [REFRESH_PATCHES, REQUEST_PATCHES].map((patches) =>
    Object.entries(patches).map(([name, patch]) => [name, { bundle: applyPatch(source, patch) }]),
  );
  const directory = await mkdtemp(join(tmpdir(), "flags-bench-"));
  const writeCopies = async (entries) => {
    const starters = {};
    for (const [name, files] of entries) {
      starters[name] = await writeCopy(join(directory, name), files);
    }
    return starters;
  };
  const command = `import { runCommand } from "${UNBUNDLED}";\nawait runCommand();\n`;
  return {
    unchanged: await writeCopy(join(directory, "unchanged"), { bundle: source }),
    withoutCodeCache: await writeCopy(join(directory, "without-code-cache"), {
      bundle: source,
      hasCodeCache: false,
    }),
    unbundled: await writeCopy(join(directory, "unbundled"), { bundle: source, command }),
    withoutRefresh: await writeCopies(patched[0]),
    withoutRequest: await writeCopies(patched[1]),
    remove: () => rm(directory, { recursive: true }),
  };
}

async function writeCopy(checkout, { bundle, command, hasCodeCache = command === undefined }) {
  await mkdir(join(checkout, PACKAGE, "dist", "bundle"), { recursive: true });
  await cp(join(ROOT, PACKAGE, "bin"), join(checkout, PACKAGE, "bin"), { recursive: true });
  await cp(join(ROOT, PACKAGE, "package.json"), join(checkout, PACKAGE, "package.json"));
  await symlink(join(ROOT, "node_modules"), join(checkout, "node_modules"), "dir");
  await writeFile(join(checkout, BUNDLE), bundle, "latin1");
  if (command !== undefined) await writeFile(join(checkout, COMMAND), command);
  if (hasCodeCache) {
    const loader = join(checkout, PACKAGE, "bin", "load-bundle.js");
    await writeCodeCache({ loader }, warmUpProxy);
  }
  return (options) => startOurs({ ...options, checkout });
}

function applyPatch(source, [pattern, replacement]) {
  const count = source.match(new RegExp(pattern, "g"))?.length ?? 0;
  if (count === 1) return source.replace(pattern, replacement);
  throw new Error(
    `${pattern} matches the bundle ${count} times instead of once: update it in variants.mjs`,
  );
}
