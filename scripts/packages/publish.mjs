// `node scripts/packages/publish.mjs [options of npm publish]`: publishes the packages that are not on the
// registry yet, so that it can be repeated after a failure. Requires a build. The release workflow calls it.

import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { rootDirectory, runNpm } from "../workspace.mjs";
import { listPublished, npm } from "./pack.mjs";

const { version } = await readJson("package.json");
await checkTag();
// NOTE: in the order of their dependencies, so no package requires an unpublished one.
for (const workspace of await listPublished()) {
  // oxlint-disable-next-line no-await-in-loop -- in order
  await publish(workspace);
}

/** In the release workflow, the tag has to be that of the version, and the changelog has to describe it. */
async function checkTag() {
  const { GITHUB_REF_TYPE: type, GITHUB_REF_NAME: name } = process.env;
  if (type !== "tag") return;
  if (name !== `v${version}`)
    fail(`The tag ${name} is not that of version ${version}: v${version}`);
  const changelog = await readFile(join(rootDirectory, "CHANGELOG.md"), "utf8");
  const heading = `## ${version}`;
  if (!changelog.split("\n").includes(heading)) fail(`CHANGELOG.md has no heading "${heading}"`);
}

function fail(reason) {
  console.error(reason);
  process.exit(1);
}

async function publish(workspace) {
  const { name } = await readJson(join(workspace, "package.json"));
  if (await isPublished(name)) {
    console.log(`${name} ${version} is already published`);
    return;
  }
  // npm installs a prerelease only if it is requested.
  const distTag = version.includes("-") ? "next" : "latest";
  await runNpm("publish", "--workspace", workspace, "--tag", distTag, ...process.argv.slice(2));
}

async function isPublished(name) {
  const published = await npm(["view", `${name}@${version}`, "version"]).catch((error) => {
    if (error.message.includes("E404")) return "";
    throw error;
  });
  return published.trim() !== "";
}

async function readJson(file) {
  return JSON.parse(await readFile(join(rootDirectory, file), "utf8"));
}
