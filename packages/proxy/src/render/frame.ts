import type { Dialect } from "./dialect.ts";

/** What stands around the flags of an answer, prepared once. */
export class Frame {
  readonly prefix: Buffer;
  readonly suffix: Buffer;
  /** Both of them. */
  readonly text: string;

  constructor({ prefix, suffix }: Dialect) {
    this.prefix = Buffer.from(prefix);
    this.suffix = Buffer.from(suffix);
    this.text = prefix + suffix;
  }
}
