// In which order and in which processes vitest runs the test files.

import { readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { BaseSequencer, type TestSpecification } from "vitest/node";

const ROOT = fileURLToPath(new URL("..", import.meta.url));

/** The projects of `vitest.config.ts`. Those whose files wait longest run first. */
const PROJECTS: readonly string[] = ["services", "packages", "isolated"];

/** Files that take longest, mostly because they wait. They start first, so that no other file waits for them. */
const SLOW_FILES: readonly string[] = [
  "packages/admin/test/connections.test.ts",
  "packages/proxy/test/connections.test.ts",
  "packages/admin/test/import-export.test.ts",
  "packages/admin/test/command.test.ts",
  "packages/proxy/test/isolation.test.ts",
  "packages/admin/test/disk-full.test.ts",
  "packages/admin/test/durability.test.ts",
  "packages/admin/test/stream.test.ts",
  "packages/admin/test/guessing.test.ts",
  "packages/admin/test/usage.test.ts",
  "packages/proxy/test/workers.test.ts",
  "scripts/quickstart/quickstart.test.ts",
];

/**
 * Groups the files by project, and runs slow files first. A process that runs several files continues only
 * if the next file belongs to the same project; starting one and loading all modules takes a second or more.
 */
export class ProjectSequencer extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    // oxlint-disable-next-line unicorn/no-array-sort -- not a method of an array
    const bySize = await super.sort(files);
    return bySize.toSorted(
      (a, b) =>
        PROJECTS.indexOf(a.project.name) - PROJECTS.indexOf(b.project.name) ||
        rankOf(a) - rankOf(b),
    );
  }
}

function rankOf(file: TestSpecification): number {
  const index = SLOW_FILES.indexOf(relative(ROOT, file.moduleId).replaceAll("\\", "/"));
  return index === -1 ? SLOW_FILES.length : index;
}

/** What replaces timers, functions or variables for all files in a process. */
const REPLACEMENT = /\bvi\.(?:useFakeTimers|spyOn|mock|doMock|stubGlobal|stubEnv)\(/;

/** Lists the files that need a process of their own, because they replace timers or functions. */
export function listIsolatedTests(): string[] {
  return readdirSync(join(ROOT, "packages"), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .flatMap(({ name }) =>
      ["src", "test", "conformance"].flatMap((folder) => listTests(join("packages", name, folder))),
    )
    .filter((file) => REPLACEMENT.test(readFileSync(join(ROOT, file), "utf8")));
}

function listTests(directory: string): string[] {
  let names: string[];
  try {
    names = readdirSync(join(ROOT, directory), { recursive: true, encoding: "utf8" });
  } catch {
    return [];
  }
  return names
    .filter((name) => name.endsWith(".test.ts"))
    .map((name) => join(directory, name).replaceAll("\\", "/"));
}
