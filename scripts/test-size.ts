// Which tests run, and how often they repeat something. TEST_SIZE is one of:
//
// - `standard` (`npm test`): every kind of test, at a size that finds mistakes in a change within minutes.
// - `extended` (`npm test` or vitest with the name of a file or folder): also EXTENDED_FILES.
// - `complete` (ci.yml): all files, at the sizes that we promise, on every kind of storage and screen.

const SIZES = ["standard", "extended", "complete"];

const size = process.env["TEST_SIZE"] ?? "extended";
if (!SIZES.includes(size)) {
  throw new RangeError(`TEST_SIZE must be one of ${SIZES.join(", ")}: current value is "${size}"`);
}

/** Whether tests run at their complete size. */
export const isComplete: boolean = size === "complete";

/**
 * Files that take long: journeys in a browser, several processes with one store, and every route with every role.
 * Few changes affect what each of them covers.
 */
const EXTENDED_FILES: readonly string[] = [
  "packages/admin/test/{every-route,sdk-api-replicas}.test.ts",
  "packages/console/test/{offline,sign-in}.test.ts",
  "packages/proxy/test/{check-with-admin,upstream-keys-workers}.test.ts",
  "packages/sdk/test/flags-admin.test.ts",
  "packages/stream-client/test/chromium.test.ts",
  "scripts/quickstart/page.test.ts",
];

/**
 * Files that run only at the complete size: further journeys through the console; long tests of single features; what
 * changes only with `deploy/`; disks that are full; and the quickstart, whose commands `npm run docs:run` runs as well.
 */
const COMPLETE_FILES: readonly string[] = [
  "packages/console/test/{applications,archive,context-fields,dialog-focus,explain,flag-list}.test.ts",
  "packages/console/test/{flag-relations,history,large-list,live-changes,playground,projects}.test.ts",
  "packages/console/test/{same-result,segments,strategies,tags,theme,tokens,transfer,usage}.test.ts",
  "packages/admin/test/{connections,disk-full,import-export,openid,replicas-restart,restore}.test.ts",
  "packages/admin/test/telemetry.test.ts",
  "packages/proxy/test/{access-edits,browser,command-store,compare-proxies,fleet,telemetry}.test.ts",
  "deploy/**/*.test.ts",
  "scripts/quickstart/{fresh-clone,quickstart}.test.ts",
];

/** Patterns of the files that do not run at the size of this run. */
export const excludedFiles: readonly string[] = [
  ...(size === "standard" ? EXTENDED_FILES : []),
  ...(isComplete ? [] : COMPLETE_FILES),
];

/** Returns the number that applies to this run. */
export function sized<T>(standard: T, complete: T): T {
  return isComplete ? complete : standard;
}

/** Returns how many random cases a property test tries: FUZZ_RUNS, or the number that applies to this run. */
export function fuzzRuns(standard: number, complete: number): number {
  return Number(process.env["FUZZ_RUNS"] ?? sized(standard, complete));
}
