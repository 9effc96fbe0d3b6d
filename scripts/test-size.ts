// How often tests repeat something, and how large its input is. `npm test` runs every kind of test, at a size
// that finds mistakes in a change within minutes. With TEST_SIZE=complete, as in ci.yml, the same tests run at
// the sizes that we promise, on every kind of storage and screen.

/** Whether tests run at their complete size: TEST_SIZE is `complete`. */
export const isComplete = process.env["TEST_SIZE"] === "complete";

/** Returns the size that applies to this run. */
export function sized<T>(standard: T, complete: T): T {
  return isComplete ? complete : standard;
}

/** Returns how many random cases a property test tries: FUZZ_RUNS, or the size that applies to this run. */
export function fuzzRuns(standard: number, complete: number): number {
  return Number(process.env["FUZZ_RUNS"] ?? sized(standard, complete));
}
