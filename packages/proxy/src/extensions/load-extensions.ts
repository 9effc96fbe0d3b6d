import { stat } from "node:fs/promises";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";

/** What things of one sort must look like. */
export interface ExtensionShape<T> {
  /** What they are, in the plural. */
  readonly displayName: string;
  /** Completes "must be …". */
  readonly allowed: string;
  isExtension(value: unknown): value is T;
}

/** What could be loaded, in order, and one sentence for everything that could not. */
export interface LoadedExtensions<T> {
  readonly extensions: readonly T[];
  readonly problems: readonly string[];
}

/**
 * Takes things given in code as they are and loads those that are given as paths of files, CommonJS
 * or ESM, which export lists. Relative paths start at the working directory.
 *
 * @param origin how messages call the setting that the entries come from
 */
export async function loadExtensions<T>(
  entries: readonly unknown[],
  origin: string,
  shape: ExtensionShape<T>,
): Promise<LoadedExtensions<T>> {
  const loaded = await Promise.all(
    entries.map(async (entry, index) =>
      typeof entry === "string"
        ? await loadFile(entry, origin, shape)
        : checkList([entry], shape, () => `${origin}: entry ${index + 1}`),
    ),
  );
  return {
    extensions: loaded.flatMap(({ extensions }) => extensions),
    problems: loaded.flatMap(({ problems }) => problems),
  };
}

async function loadFile<T>(
  path: string,
  origin: string,
  shape: ExtensionShape<T>,
): Promise<LoadedExtensions<T>> {
  const file = JSON.stringify(path);
  try {
    const list = await importList(path);
    if (Array.isArray(list)) {
      return checkList(list, shape, (position) => `${origin}: entry ${position} of ${file}`);
    }
    const ways = "with module.exports = [...] or export default [...]";
    return fail(`${origin}: ${file} must export a list of ${shape.displayName}, ${ways}`);
  } catch (error) {
    return fail(`${origin}: cannot load ${file}: ${describe(error)}`);
  }
}

async function importList(path: string): Promise<unknown> {
  const absolutePath = resolve(path);
  const isFile = (await stat(absolutePath)).isFile();
  if (!isFile) throw new TypeError("it is not a file");
  const module: unknown = await import(pathToFileURL(absolutePath).href);
  // NOTE: a file compiled from ESM to CommonJS has its default export one level deeper.
  const exported = readDefault(module);
  return Array.isArray(exported) ? exported : readDefault(exported);
}

function readDefault(value: unknown): unknown {
  return typeof value === "object" && value !== null && "default" in value
    ? value.default
    : undefined;
}

function checkList<T>(
  list: readonly unknown[],
  shape: ExtensionShape<T>,
  nameEntry: (position: number) => string,
): LoadedExtensions<T> {
  const problems = list.flatMap((value, index) =>
    shape.isExtension(value)
      ? []
      : [`${nameEntry(index + 1)} must be ${shape.allowed}${hintAtClass(value)}`],
  );
  return { extensions: list.filter((value) => shape.isExtension(value)), problems };
}

function hintAtClass(value: unknown): string {
  const isClass = typeof value === "function" && /^class\b/.test(String(value));
  return isClass ? `: it is the class ${value.name}, export an instance of it` : "";
}

function fail(problem: string): LoadedExtensions<never> {
  return { extensions: [], problems: [problem] };
}

function describe(error: unknown): string {
  if (isMissingFile(error)) return `there is no file ${error.path}`;
  const message = error instanceof Error ? error.message : String(error);
  return message.split("\n", 1)[0] ?? message;
}

function isMissingFile(error: unknown): error is Error & { readonly path: string } {
  if (!(error instanceof Error) || !("path" in error)) return false;
  return "code" in error && error.code === "ENOENT";
}
