import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

const source = (name: string, entry = "index"): string =>
  fileURLToPath(new URL(`packages/${name}/src/${entry}.ts`, import.meta.url));

export default defineConfig({
  resolve: {
    // Tests in one process read the sources, so that a stale build can never pass.
    alias: {
      "flags-engine": source("engine"),
      "flags-sdk": source("sdk"),
      // NOTE: before the package itself, whose name begins this one.
      "flags-server-kit/http": source("server-kit", "http"),
      "flags-server-kit": source("server-kit"),
      "flags-proxy": source("proxy"),
      "flags-admin": source("admin"),
      "flags-stream-client": source("stream-client"),
    },
  },
  test: {
    passWithNoTests: false,
    // Many tests wait for processes, timeouts and databases rather than for the processor.
    maxWorkers: 2 * availableParallelism(),
    // Generous: a busy machine is no failure, and a test that hangs still ends.
    testTimeout: 60_000,
    // Most integration tests run real processes and timeouts, several at a time on few cores. The report
    // names tests that needed a second attempt.
    retry: process.env["CI"] === "true" ? 1 : 0,
    hookTimeout: 60_000,
    // Loading the modules again for each file would take a third of the processor time. No test mocks a
    // module or leaves global state behind.
    isolate: false,
    projects: [
      {
        extends: true,
        test: {
          name: "admin",
          include: ["packages/admin/test/**/*.test.ts"],
          globalSetup: "packages/admin/test/_shared-postgres.ts",
        },
      },
      {
        extends: true,
        test: {
          name: "other",
          include: [
            "packages/*/src/**/*.test.ts",
            "packages/*/test/**/*.test.ts",
            "packages/*/conformance/**/*.test.ts",
            "scripts/**/*.test.ts",
          ],
          exclude: ["packages/admin/test/**", "**/node_modules/**"],
        },
      },
    ],
  },
});
