// In which order vitest runs the test files.

import { relative } from "node:path";
import { fileURLToPath } from "node:url";
import { BaseSequencer, type TestSpecification } from "vitest/node";

const ROOT = fileURLToPath(new URL("..", import.meta.url));

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

/** Tests of whole services, which wait for processes, timeouts and databases. */
const SERVICE_TESTS = /^packages\/(?:admin|console|proxy)\/test\//;

/** Runs the files that wait longest first: other files use the processor in the meantime. */
export class SlowFilesFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    // oxlint-disable-next-line unicorn/no-array-sort -- not a method of an array
    const bySize = await super.sort(files);
    return bySize.toSorted((a, b) => rankOf(a) - rankOf(b));
  }
}

function rankOf(file: TestSpecification): number {
  const path = relative(ROOT, file.moduleId).replaceAll("\\", "/");
  const index = SLOW_FILES.indexOf(path);
  if (index !== -1) return index;
  return SLOW_FILES.length + (SERVICE_TESTS.test(path) ? 0 : 1);
}
