import { percentile } from "../measure/statistics.mjs";

/** How long responses took. Of very many, the latest count. */
const CAPACITY = 1 << 20;

export class Latencies {
  #milliseconds = new Float64Array(CAPACITY);
  #count = 0;

  add(milliseconds) {
    this.#milliseconds[this.#count++ % CAPACITY] = milliseconds;
  }

  summarize() {
    const known = Math.min(this.#count, CAPACITY);
    const sorted = this.#milliseconds.subarray(0, known).toSorted();
    return {
      requests: this.#count,
      p50Ms: percentile(sorted, 0.5),
      p99Ms: percentile(sorted, 0.99),
    };
  }
}
