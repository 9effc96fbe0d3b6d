import { readdirSync, statSync } from "node:fs";
import { extname, join } from "node:path";
import type { Logger } from "flags-server-kit/neutral";

const EXTENSIONS: ReadonlySet<string> = new Set([".json", ".yaml", ".yml"]);

const CHECK_INTERVAL_MS = 5000;

export function listFileNames(directory: string): readonly string[] {
  return readdirSync(directory)
    .filter((name) => !name.startsWith(".") && EXTENSIONS.has(extname(name).toLowerCase()))
    .filter((name) => statSync(join(directory, name), { throwIfNoEntry: false })?.isFile() ?? true)
    .toSorted();
}

/**
 * Warns about files that are added to a directory: environments are fixed at startup, because
 * keys refer to them. Returns a function that stops this.
 */
export function warnOfNewFiles(directory: string, logger: Pick<Logger, "warn">): () => void {
  const known = new Set(tryList(directory));
  const timer = setInterval(() => {
    for (const name of tryList(directory)) {
      if (known.has(name)) continue;
      known.add(name);
      logger.warn(`${join(directory, name)} is new: restart the proxy to serve its environment`);
    }
  }, CHECK_INTERVAL_MS);
  timer.unref();
  return () => clearInterval(timer);
}

function tryList(directory: string): readonly string[] {
  try {
    return listFileNames(directory);
  } catch {
    return [];
  }
}
