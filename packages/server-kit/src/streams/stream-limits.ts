export interface StreamLimits {
  readonly maxStreams: number;
  /** Open streams of one key, so that no key can use up all of them. @default no limit */
  readonly maxStreamsPerKey?: number;
  /** Memory for the state of all open streams. One key may use the same share of it as of the streams. @default no limit */
  readonly maxBytes?: number;
}

interface Usage {
  streams: number;
  bytes: number;
}

export class StreamCounts {
  readonly #limits: Required<StreamLimits>;
  readonly #total: Usage = { streams: 0, bytes: 0 };
  readonly #byKey = new Map<string, Usage>();

  constructor({ maxStreams, maxStreamsPerKey = maxStreams, maxBytes = Infinity }: StreamLimits) {
    this.#limits = { maxStreams, maxStreamsPerKey, maxBytes };
  }

  get streams(): number {
    return this.#total.streams;
  }

  get bytes(): number {
    return this.#total.bytes;
  }

  allows(key: string, bytes: number): boolean {
    const { maxStreams, maxStreamsPerKey, maxBytes } = this.#limits;
    const own = this.#byKey.get(key) ?? { streams: 0, bytes: 0 };
    const maxBytesPerKey = maxBytes * Math.min(maxStreamsPerKey / maxStreams, 1);
    return (
      this.#total.streams < maxStreams &&
      own.streams < maxStreamsPerKey &&
      this.#total.bytes + bytes <= maxBytes &&
      own.bytes + bytes <= maxBytesPerKey
    );
  }

  add(key: string, bytes: number): void {
    const own = this.#byKey.get(key) ?? { streams: 0, bytes: 0 };
    this.#byKey.set(key, own);
    for (const usage of [this.#total, own]) {
      usage.streams += 1;
      usage.bytes += bytes;
    }
  }

  remove(key: string, bytes: number): void {
    const own = this.#byKey.get(key);
    if (own === undefined) return;
    for (const usage of [this.#total, own]) {
      usage.streams -= 1;
      usage.bytes -= bytes;
    }
    if (own.streams === 0) this.#byKey.delete(key);
  }
}
