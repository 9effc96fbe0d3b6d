import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";

/**
 * Returns the addresses of the scripts that processes have loaded.
 *
 * @param directory the folder that the variable NODE_V8_COVERAGE of these processes named
 */
export async function readLoadedScripts(directory: string): Promise<readonly string[]> {
  const files = await readdir(directory);
  const reports = await Promise.all(files.map((file) => readFile(join(directory, file), "utf8")));
  return reports.flatMap((text) => {
    const { result } = JSON.parse(text) as { readonly result: readonly { readonly url: string }[] };
    return result.map(({ url }) => url);
  });
}
