import { randomUUID } from "node:crypto";
import { readdir, rm, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { nameSetting } from "flags-server-kit";
import { codeOf } from "flags-server-kit/neutral";
import { createDirectory, explainDiskFailure } from "flags-server-kit/command-line";
import { nameSpoolDirectories } from "../sources/sources.ts";
import type { Findings } from "./check-settings.ts";
import { SETTINGS } from "./settings.ts";

/** Problems of a disk that may be solved without a restart. Until then, usage is only in memory. */
const TEMPORARY: ReadonlySet<string> = new Set(["ENOSPC", "EDQUOT", "EIO"]);

export async function checkUsageSpool(
  path: string,
  upstreamTokens: readonly string[],
  { problems, hints }: Findings,
): Promise<void> {
  const directory = resolve(path);
  const problem = await findSpoolProblem(directory);
  if (problem !== undefined) problems.push(`${nameSetting(SETTINGS.usageSpool)} ${problem}`);
  else hints.push(...(await findUnservedUsage(directory, upstreamTokens)));
}

/** Creates the directory of the spool if it is missing. Returns the reason if files cannot be written there. */
async function findSpoolProblem(directory: string): Promise<string | undefined> {
  const probe = join(directory, `.probe-${randomUUID()}`);
  try {
    await createDirectory(directory, 0o700);
    await writeFile(probe, "", { flag: "wx", mode: 0o600 });
    await rm(probe);
    return undefined;
  } catch (error) {
    if (TEMPORARY.has(codeOf(error))) return undefined;
    return `cannot write to the directory ${directory}: ${explainDiskFailure(error) ?? String(error)}. Correct that, or choose another directory`;
  }
}

async function findUnservedUsage(
  directory: string,
  upstreamTokens: readonly string[],
): Promise<readonly string[]> {
  const served = new Set(nameSpoolDirectories(upstreamTokens));
  const names = await readdir(directory).catch(() => []);
  const unserved = await Promise.all(
    names
      .filter((name) => !served.has(name))
      .map(async (name) => ((await hasUsage(join(directory, name))) ? [name] : [])),
  );
  return unserved
    .flat()
    .toSorted()
    .map(
      (source) =>
        `${join(directory, source)} contains usage for which no upstream token is configured any more: it stays there until one is configured again, or you delete it`,
    );
}

async function hasUsage(directory: string): Promise<boolean> {
  const files = await readdir(directory).catch(() => []);
  return files.some((file) => /^usage-\d+\.log$/.test(file));
}
