// Loads custom strategies and context enrichers from options and files.

import { stat } from "node:fs/promises";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { codeOf, toErrorMessage } from "flags-server-kit/neutral";
import { describeInvalid, type ExtensionKind } from "./extension-kinds.ts";

/**
 * Returns the extensions of one kind, in order, and one sentence for each one that cannot be used.
 *
 * @param entries extensions, and paths of files that export lists of them
 * @param origin the setting, for messages
 */
export async function loadExtensions<T>(
  entries: readonly unknown[],
  origin: string,
  kind: ExtensionKind<T>,
) {
  const extensions: T[] = [];
  const problems: string[] = [];
  const add = (value: unknown, position: string): void => {
    if (kind.isExtension(value)) extensions.push(value);
    else problems.push(describeInvalid(value, `${origin}: ${position}`, kind));
  };
  for (const [index, entry] of entries.entries()) {
    if (typeof entry !== "string") {
      add(entry, `entry ${index + 1}`);
      continue;
    }
    const file = JSON.stringify(entry);
    try {
      // oxlint-disable-next-line no-await-in-loop -- in the order in which they run
      const list = await importList(entry);
      if (Array.isArray(list)) {
        for (const [position, value] of list.entries())
          add(value, `entry ${position + 1} of ${file}`);
        continue;
      }
      const syntax = "with module.exports = [...] or export default [...]";
      problems.push(`${origin}: ${file} must export a list of ${kind.displayName}, ${syntax}`);
    } catch (error) {
      problems.push(`${origin}: cannot load ${file}: ${describeError(error)}`);
    }
  }
  return { extensions, problems };
}

async function importList(path: string): Promise<unknown> {
  const absolutePath = resolve(path);
  const isFile = (await stat(absolutePath)).isFile();
  if (!isFile) throw new TypeError("it is not a file");
  const module: unknown = await import(pathToFileURL(absolutePath).href);
  // NOTE: in a file compiled from ESM to CommonJS, the default export is one level deeper.
  const exported = readDefault(module);
  return Array.isArray(exported) ? exported : readDefault(exported);
}

function readDefault(value: unknown): unknown {
  return typeof value === "object" && value !== null && "default" in value
    ? value.default
    : undefined;
}

function describeError(error: unknown): string {
  if (isMissingFile(error)) return `there is no file ${error.path}`;
  const [message = ""] = toErrorMessage(error).split("\n", 1);
  return `${message}${hintAtSdk(message)}`;
}

/** NOTE: in the documentation of the old proxy, strategies extend a class of this package. */
function hintAtSdk(message: string): string {
  return /^Cannot find (?:module|package) 'unleash-client'/.test(message)
    ? ": replace each class that extends its Strategy with an object with name and isEnabled, or install unleash-client next to the file"
    : "";
}

function isMissingFile(error: unknown): error is Error & { readonly path: string } {
  return error instanceof Error && "path" in error && codeOf(error) === "ENOENT";
}
