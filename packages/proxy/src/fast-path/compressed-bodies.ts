import { CodedBody, type ContentCoding } from "flags-server-kit/http";
import { LRUCache } from "lru-cache";
import { FrequencySketch } from "./frequency-sketch.ts";

/** Memory for bodies that several users share, in all codings. */
const MAX_BYTES = 16 * 1024 * 1024;
const FORMS = 3;

/** Bodies are remembered once they occurred this often lately. */
const MIN_COUNT = 3;

interface SharedBody {
  readonly body: Buffer;
  readonly coded: CodedBody;
}

/**
 * Compresses a body once that many users get: where few flags tell users apart, there are few
 * different bodies, and compressing takes several times as long as everything else. Two bodies are
 * the same only if their bytes are equal; the entity tag only finds the candidate.
 */
export class CompressedBodies {
  readonly #frequency = new FrequencySketch();
  readonly #shared: LRUCache<string, SharedBody>;

  /** @param maxBytes memory for shared bodies; default 16 MiB */
  constructor(maxBytes: number = MAX_BYTES) {
    this.#shared = new LRUCache({
      maxSize: maxBytes,
      sizeCalculation: ({ body }) => FORMS * body.length + 1,
    });
  }

  compress(entityTag: string, body: Buffer, coding: ContentCoding): Buffer | Promise<Buffer> {
    const known = this.#shared.get(entityTag);
    if (known?.body.equals(body) === true) return known.coded.in(coding);
    const coded = new CodedBody(body);
    if (this.#frequency.increment(entityTag) >= MIN_COUNT) {
      this.#shared.set(entityTag, { body, coded });
    }
    return coded.in(coding);
  }
}
