import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";

/** Name of the file next to a bundle. */
export const LICENCES_FILE = "THIRD-PARTY-LICENSES.txt";

/** The innermost package directory in the path of a module. */
const PACKAGE_DIRECTORY = /^(.*[\\/]node_modules[\\/](?:@[^\\/]+[\\/])?[^\\/]+)[\\/]/;
const LICENCE_FILE = /^(?:licen[cs]e|copying|notice)/i;

/**
 * Returns the names, versions and licence texts of the packages from which a bundle contains modules:
 * their licences require that copies include them.
 */
export async function collectLicences(moduleIds) {
  const directories = new Set(moduleIds.flatMap((id) => PACKAGE_DIRECTORY.exec(id)?.[1] ?? []));
  const entries = await Promise.all([...directories].map(readLicence));
  return [...new Set(entries)].toSorted().join(`\n${"-".repeat(80)}\n\n`);
}

async function readLicence(directory) {
  const { name, version, license } = JSON.parse(
    await readFile(join(directory, "package.json"), "utf8"),
  );
  const files = (await readdir(directory)).filter((file) => LICENCE_FILE.test(file)).toSorted();
  const texts = await Promise.all(files.map((file) => readFile(join(directory, file), "utf8")));
  if (license === undefined && texts.length === 0) {
    throw new Error(`Cannot bundle ${name}: it has no licence`);
  }
  return [`${name} ${version} (${license ?? "see below"})`, ...texts.map((text) => text.trim())]
    .join("\n\n")
    .concat("\n");
}
