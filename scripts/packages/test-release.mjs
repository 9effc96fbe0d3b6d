// `npm run release:test`: prepares a release in a copy of the manifests, and checks the result.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { cp, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { inc } from "semver";
import { rootDirectory } from "../workspace.mjs";

const PROGRAM = fileURLToPath(new URL("tools/version-packages.mjs", import.meta.url));
const SUMMARY = "Adds a subcommand.\nIt has two lines.";
const CHANGESET = `---\n"flags-proxy": minor\n---\n\n${SUMMARY}\n`;

const directory = await mkdtemp(join(tmpdir(), "flags-release-"));
try {
  const names = await readdir(join(rootDirectory, "packages"));
  const manifests = names.map((name) => join("packages", name, "package.json"));
  const files = ["package.json", "package-lock.json", "CHANGELOG.md", ".changeset/config.json"];
  await Promise.all([...files, ...manifests].map(copy));
  await writeFile(join(directory, ".changeset", "test.md"), CHANGESET);
  const { version: previous } = await readJson("package.json");
  execFileSync(process.execPath, [PROGRAM], { cwd: directory, stdio: "inherit" });
  await checkRelease(manifests, previous);
} finally {
  await rm(directory, { recursive: true, force: true });
}

function copy(file) {
  return cp(join(rootDirectory, file), join(directory, file), { recursive: true });
}

async function checkRelease(manifests, previous) {
  const version = inc(previous, "minor");
  const lock = await readJson("package-lock.json");
  assert.equal((await readJson("package.json")).version, version);
  assert.equal(lock.version, version);
  for (const file of manifests) {
    // oxlint-disable-next-line no-await-in-loop -- six small files
    const manifest = await readJson(file);
    const internal = Object.entries(manifest.dependencies ?? {}).filter(([name]) =>
      name.startsWith("flags-"),
    );
    for (const found of [manifest.version, ...internal.map(([, range]) => range)]) {
      assert.equal(found, version, file);
    }
    const path = file.replaceAll("\\", "/").replace("/package.json", "");
    assert.equal(lock.packages[path].version, version, path);
  }
  const changelog = await readFile(join(directory, "CHANGELOG.md"), "utf8");
  const entry = `## ${version}\n\n### Proxy\n\n- Adds a subcommand.\n  It has two lines.\n\n## ${previous}`;
  assert.ok(changelog.includes(entry), changelog.slice(0, 500));
  assert.deepEqual(await readdir(join(directory, ".changeset")), ["config.json"]);
  console.log(`A release changes ${manifests.length} packages from ${previous} to ${version}`);
}

async function readJson(file) {
  return JSON.parse(await readFile(join(directory, file), "utf8"));
}
