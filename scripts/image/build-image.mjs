import { existsSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { rootDirectory } from "../workspace.mjs";
import { createBase, createNodeImage, prepareBaseFiles } from "./base-images.mjs";
import { run } from "./tools.mjs";

const STORAGE = "/var/tmp/flags-image-test";
const BASE = "localhost/flags-base";
const NODE_IMAGE = "localhost/flags-node";
const IMAGE = "localhost/flags";

/** Builds the image from the Dockerfile, with our own base images. */
export async function buildImage(directory) {
  const files = await prepareBaseFiles();
  createBase(buildah, files, BASE);
  await createNodeImage(buildah, files, NODE_IMAGE);
  buildah(
    "build",
    "--quiet",
    // Only this format has HEALTHCHECK, and it is what Docker builds.
    "--format=docker",
    "--isolation=chroot",
    `--secret=id=npmrc,src=${await findNpmSettings(directory)}`,
    // npm packages that this machine has already downloaded
    ...(existsSync(join(homedir(), ".npm")) ? [`--volume=${homedir()}/.npm:/root/.npm`] : []),
    `--build-arg=NODE_IMAGE=${NODE_IMAGE}`,
    `--build-arg=BASE=${BASE}`,
    `--tag=${IMAGE}`,
    rootDirectory,
  );
}

async function findNpmSettings(directory) {
  const ofUser = join(homedir(), ".npmrc");
  if (existsSync(ofUser)) return ofUser;
  const empty = join(directory, "npmrc");
  await writeFile(empty, "");
  return empty;
}

/** Mounts the files of the image and writes a description of the image. */
export async function mountImage(directory) {
  const container = buildah("from", IMAGE);
  const root = buildah("mount", container);
  const { config } = JSON.parse(buildah("inspect", "--type=image", IMAGE)).Docker;
  const file = join(directory, "image.json");
  await writeFile(file, JSON.stringify({ root, config }));
  return {
    file,
    unmount({ keep }) {
      buildah("rm", container);
      if (!keep) buildah("rmi", "--all", "--force");
    },
  };
}

function buildah(command, ...args) {
  return run("buildah", [`--root=${STORAGE}/root`, `--runroot=${STORAGE}/run`, command, ...args], {
    // Without overlayfs, STORAGE_DRIVER=vfs works too, but copies all files for each stage.
    env: { ...process.env, STORAGE_DRIVER: process.env.STORAGE_DRIVER ?? "overlay" },
  });
}
