import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";
import { excludedFiles, isComplete } from "./scripts/test-size.ts";
import { SlowFilesFirst } from "./scripts/vitest-order.ts";

const source = (name: string, entry = "index"): string =>
  fileURLToPath(new URL(`packages/${name}/src/${entry}.ts`, import.meta.url));

export default defineConfig({
  resolve: {
    // Tests in one process read the sources, so that a stale build can never pass.
    alias: {
      "flags-engine": source("engine"),
      // NOTE: before the package itself, whose name begins these.
      "flags-sdk/internal": source("sdk", "internal"),
      "flags-sdk/neutral": source("sdk", "neutral"),
      "flags-sdk/openfeature-web": source("sdk", "integrations/openfeature-web"),
      "flags-sdk": source("sdk"),
      "flags-server-kit/command-line": source("server-kit", "command-line"),
      "flags-server-kit/http": source("server-kit", "http"),
      "flags-server-kit/neutral": source("server-kit", "neutral"),
      "flags-server-kit/settings": source("server-kit", "settings"),
      "flags-server-kit/telemetry": source("server-kit", "telemetry"),
      "flags-server-kit": source("server-kit"),
      "#s3-store": source("proxy", "store/s3/s3-store"),
      "flags-proxy/fetch": source("proxy", "fetch/index"),
      "flags-proxy": source("proxy"),
      "flags-admin": source("admin"),
      "flags-stream-client": source("stream-client"),
    },
  },
  test: {
    passWithNoTests: false,
    // Many tests wait for processes, timeouts and databases rather than for the processor.
    maxWorkers: 2 * availableParallelism(),
    // More threads for garbage collection and compilation cost more CPU time, and find no free processor.
    execArgv: ["--v8-pool-size=1"],
    // Generous: a busy machine is no failure, and a test that hangs still ends. Complete tests repeat much more.
    testTimeout: isComplete ? 900_000 : 300_000,
    // Most integration tests run real processes and timeouts, several at a time on few cores. The report
    // names tests that needed a second attempt.
    retry: process.env["CI"] === "true" ? 1 : 0,
    hookTimeout: 300_000,
    // Generous too, but shorter than the timeouts of tests, so that a failure says what did not happen.
    expect: { poll: { timeout: 50_000 } },
    sequence: { sequencer: SlowFilesFirst },
    // Several files share a process: loading all modules again for each file would take a third of the
    // CPU time. So a test restores the timers, functions and variables that it replaces.
    isolate: false,
    globalSetup: "packages/admin/test/_shared-databases.ts",
    coverage: {
      // NOTE: what other processes run, such as the commands in most integration tests, does not count.
      include: ["packages/*/src/**/*.{ts,tsx}"],
      exclude: ["**/*.test.{ts,tsx}", "**/_*"],
      reporter: ["text-summary", ["text-summary", { file: "summary.txt" }]],
    },
    include: [
      "packages/*/{src,test,conformance}/**/*.test.ts",
      "scripts/**/*.test.ts",
      "deploy/**/*.test.ts",
    ],
    exclude: ["**/node_modules/**", ...excludedFiles],
  },
});
