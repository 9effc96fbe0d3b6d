// Which tests run, and how often they repeat something. TEST_SIZE is one of:
//
// - `standard` (`npm test`, `.ci/run`): every kind of test, at a size that finds mistakes in a change within minutes.
// - `extended` (`npm test` or vitest with the name of a file or folder): also LONG_FILES, at the same size.
// - `complete` (ci.yml): all files, at the sizes that we promise, on every kind of storage and screen.

const SIZES = ["standard", "extended", "complete"];

const size = process.env["TEST_SIZE"] ?? "extended";
if (!SIZES.includes(size)) {
  throw new RangeError(`TEST_SIZE must be one of ${SIZES.join(", ")}: current value is "${size}"`);
}

/** Whether tests run at their complete size. */
export const isComplete: boolean = size === "complete";

/**
 * Files that take a long time, or that few changes affect: end-to-end tests of the console; several processes with one store;
 * every route with every role; long tests of single features; what changes only with `deploy/`; disks that are full; and
 * the quickstart, whose commands `npm run docs:run` runs as well.
 */
const LONG_FILES: readonly string[] = [
  "packages/console/test/{all-flags,clean-list,confirmations,favourites,flag-columns,shared-lists}.test.ts",
  "packages/console/test/{flag-page,project-page}.test.ts",
  "packages/admin/test/{frozen-database,sdk-api-partial-loads,upgrade-accounts}.test.ts",
  "packages/console/test/{applications,archive,clean-up,compare-environments,context-fields,database-down,dialog-focus}.test.ts",
  "packages/console/test/{explain,flag-list,flag-relations,history,large-list,live-changes,move-flag,offline,playground}.test.ts",
  "packages/console/test/{change-requests,long-lists,notifications,palette,profile,project-access,project-shape,users}.test.ts",
  "packages/console/test/{projects,protected-changes,restore-flag,rollout-plans,same-result,segments,sign-in,strategies,tags,theme}.test.ts",
  "packages/console/test/{tokens,transfer,untrusted-text,usage}.test.ts",
  "packages/admin/src/storage/embedded-maintenance.test.ts",
  "packages/admin/test/{command-first-start,commands,connections,disk-full,durability,every-route}.test.ts",
  "packages/admin/test/{import-export,inlined-segments,openid}.test.ts",
  "packages/admin/test/{notifications-on-replicas,replicas-restart,restore,retention,round-trips}.test.ts",
  "packages/admin/test/{sdk-api-random-replicas,sdk-api-replicas,telemetry}.test.ts",
  "packages/proxy/test/{access-edits,browser,check-with-admin,compare-proxies,explain,fleet}.test.ts",
  "packages/proxy/test/command-{access-file,aliases,check,code-cache,probes}.test.ts",
  "packages/proxy/test/command-{store,upstream}.test.ts",
  "packages/proxy/test/runtimes/nextjs.test.ts",
  "packages/proxy/test/{slow-readers,telemetry,upstream-keys-workers,usage-delivery,usage-spool}.test.ts",
  "packages/sdk/test/flags-admin.test.ts",
  "packages/stream-client/test/chromium.test.ts",
  "deploy/**/*.test.ts",
  "scripts/quickstart/{fresh-clone,page,quickstart}.test.ts",
];

/** Patterns of the files that do not run at the size of this run. */
export const excludedFiles: readonly string[] = size === "standard" ? LONG_FILES : [];

/** Returns the number that applies to this run. */
export function sized<T>(standard: T, complete: T): T {
  return isComplete ? complete : standard;
}

/** Returns how many random cases a property test tries: FUZZ_RUNS, or the number that applies to this run. */
export function fuzzRuns(standard: number, complete: number): number {
  return Number(process.env["FUZZ_RUNS"] ?? sized(standard, complete));
}
