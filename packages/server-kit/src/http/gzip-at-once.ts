import { constants } from "node:zlib";
import { Gzip } from "minizlib";

/**
 * Compresses one body after the other with one compressor. Node's `gzipSync` sets one up for each
 * body, which takes as long as to compress some ten kilobytes of JSON.
 */
export class GzipAtOnce {
  readonly #level: number;
  #compressor: Gzip | undefined;

  constructor(level: number) {
    this.#level = level;
  }

  compress(body: string | Buffer): Buffer {
    this.#compressor ??= new Gzip({ level: this.#level, flush: constants.Z_FINISH });
    this.#compressor.write(typeof body === "string" ? Buffer.from(body) : body);
    const compressed = this.#compressor.read();
    this.#compressor.reset();
    if (compressed === null) throw new Error("Compressing a body gave nothing");
    return compressed;
  }
}
