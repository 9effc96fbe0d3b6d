import { cp, mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { installWithApt } from "../system-programs.mjs";
import { rootDirectory } from "../workspace.mjs";
import { runCommand } from "./command.mjs";

/** Generous, because CI runs the complete suite at the same time. */
const TIMEOUT_SECONDS = 900;

/** Installs the packages of the examples that need npm. */
export async function installNpmPackages(work) {
  const argv = ["npm", "ci", "--no-audit", "--no-fund", "--prefer-offline"];
  await runCommand(argv, { cwd: work, timeoutSeconds: TIMEOUT_SECONDS });
}

/** Installs the packages of the Python examples. Resolves to the interpreter that finds them. */
export async function installPythonPackages(work, names) {
  const environment = join(work, "venv");
  const create = ["python3", "-m", "venv", environment];
  // On Debian, Python is present without this module.
  await runCommand(create).catch((error) => {
    if (!installWithApt("python3-venv")) throw error;
    return runCommand(create);
  });
  const python = join(environment, "bin", "python");
  const files = names.flatMap((name) => ["-r", join(work, name, "requirements.txt")]);
  const argv = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", ...files];
  await runCommand(argv, { timeoutSeconds: TIMEOUT_SECONDS });
  return python;
}

const SOURCE = join(rootDirectory, "examples", "clients");
const IGNORED = new Set(["node_modules", ".next", "dist", "target", "__pycache__"]);

/** Copies the examples, with other addresses than those in the text. */
export async function copyExamples(target, replacements) {
  await copyFolder(SOURCE, target, replacements);
}

async function copyFolder(source, target, replacements) {
  await mkdir(target, { recursive: true });
  for (const entry of await readdir(source, { withFileTypes: true })) {
    if (IGNORED.has(entry.name)) continue;
    const paths = [join(source, entry.name), join(target, entry.name)];
    if (entry.isDirectory()) await copyFolder(...paths, replacements);
    else if (entry.name === "package-lock.json") await cp(...paths);
    else await copyText(...paths, replacements);
  }
}

async function copyText(source, target, replacements) {
  let text = await readFile(source, "utf8");
  for (const [before, after] of Object.entries(replacements)) text = text.replaceAll(before, after);
  await writeFile(target, text);
}
