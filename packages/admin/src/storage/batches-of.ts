// A statement has at most 65,535 parameters.
const BATCH_SIZE = 1000;

/** Rows in portions that fit into a statement each. */
export function* batchesOf<T>(rows: readonly T[]): Generator<T[]> {
  for (let start = 0; start < rows.length; start += BATCH_SIZE) {
    yield rows.slice(start, start + BATCH_SIZE);
  }
}
