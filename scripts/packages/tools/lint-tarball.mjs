import { checkPackage, createPackageFromTarballData } from "@arethetypeswrong/core";
import { readFile } from "node:fs/promises";
import { publint } from "publint";
import { formatMessage } from "publint/utils";

/**
 * What TypeScript without `exports` cannot resolve, and what the packages do not support: TypeScript's
 * module node16 in CommonJS files. At run time, `require()` loads ES modules on every supported Node version.
 */
const ACCEPTED = [
  { kind: "CJSResolvesToESM", resolutionKind: "node16-cjs" },
  { kind: "NoResolution", resolutionKind: "node10", entrypoint: "./http" },
  { kind: "NoResolution", resolutionKind: "node10", entrypoint: "./internal" },
  { kind: "NoResolution", resolutionKind: "node10", entrypoint: "./neutral" },
  { kind: "NoResolution", resolutionKind: "node10", entrypoint: "./command-line" },
  { kind: "NoResolution", resolutionKind: "node10", entrypoint: "./bundle" },
  { kind: "NoResolution", resolutionKind: "node10", entrypoint: "./telemetry" },
];

/** Returns what publint and "Are the types wrong?" report about a tarball. */
export async function lintTarball(file) {
  const content = await readFile(file);
  return [...(await lintManifest(content)), ...(await lintTypes(content))];
}

async function lintManifest(content) {
  const tarball = new Uint8Array(content).buffer;
  const { messages, pkg } = await publint({ pack: { tarball }, strict: true });
  return messages.map((message) => `publint: ${formatMessage(message, pkg, { color: false })}`);
}

async function lintTypes(content) {
  const { problems = [] } = await checkPackage(createPackageFromTarballData(content));
  return problems
    .filter((problem) => !isAccepted(problem))
    .map((problem) => `types: ${JSON.stringify(problem)}`);
}

function isAccepted(problem) {
  return ACCEPTED.some((accepted) =>
    Object.entries(accepted).every(([key, value]) => problem[key] === value),
  );
}
