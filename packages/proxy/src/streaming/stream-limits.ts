/** Limits of one process. */
export interface StreamLimits {
  /** Open streams. */
  readonly maxStreams: number;
  /** Open streams of one client key, so that no key can use up all of them. */
  readonly maxStreamsPerKey: number;
  /** Memory for the contexts of all open streams. One key may use the same share as of streams. */
  readonly maxContextBytes: number;
}

interface Usage {
  streams: number;
  bytes: number;
}

/** Counts open streams and their memory, in total and for each client key. */
export class StreamCounts {
  readonly #limits: StreamLimits;
  readonly #total: Usage = { streams: 0, bytes: 0 };
  readonly #byKey = new Map<string, Usage>();

  constructor(limits: StreamLimits) {
    this.#limits = limits;
  }

  get streams(): number {
    return this.#total.streams;
  }

  get bytes(): number {
    return this.#total.bytes;
  }

  /** Whether a key may open one more stream that takes so much memory. */
  allows(clientKey: string, bytes: number): boolean {
    const { maxStreams, maxStreamsPerKey, maxContextBytes } = this.#limits;
    const own = this.#byKey.get(clientKey) ?? { streams: 0, bytes: 0 };
    const maxBytesPerKey = maxContextBytes * Math.min(maxStreamsPerKey / maxStreams, 1);
    return (
      this.#total.streams < maxStreams &&
      own.streams < maxStreamsPerKey &&
      this.#total.bytes + bytes <= maxContextBytes &&
      own.bytes + bytes <= maxBytesPerKey
    );
  }

  add(clientKey: string, bytes: number): void {
    const own = this.#byKey.get(clientKey) ?? { streams: 0, bytes: 0 };
    this.#byKey.set(clientKey, own);
    for (const usage of [this.#total, own]) {
      usage.streams += 1;
      usage.bytes += bytes;
    }
  }

  remove(clientKey: string, bytes: number): void {
    const own = this.#byKey.get(clientKey);
    if (own === undefined) return;
    for (const usage of [this.#total, own]) {
      usage.streams -= 1;
      usage.bytes -= bytes;
    }
    if (own.streams === 0) this.#byKey.delete(clientKey);
  }
}
