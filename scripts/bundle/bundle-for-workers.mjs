// Bundles a program as tools for Workers do, to measure it. Nothing is written, and nothing of it is published.

import { rolldown } from "rolldown";

/**
 * Returns the minified code of a program as one ES module. Only modules of Node stay imported.
 *
 * @param entry the path of its main file
 * @param omitted names of packages that are left out, to find out how large they are. @default none
 */
export async function bundleForWorkers(entry, omitted = []) {
  const bundle = await rolldown({
    input: entry,
    platform: "neutral",
    external: [/^node:/, /^cloudflare:/, ...omitted.map((name) => new RegExp(`^${name}(/|$)`))],
    resolve: {
      conditionNames: ["workerd", "worker", "browser", "import"],
      mainFields: ["module", "main"],
    },
    // An omitted package is one that cannot be resolved.
    logLevel: "silent",
  });
  const { output } = await bundle.generate({ format: "esm", minify: true, codeSplitting: false });
  await bundle.close();
  return output[0].code;
}
