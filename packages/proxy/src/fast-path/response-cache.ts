import type { Snapshot } from "flags-engine";
import { CodedBody, type ContentCoding } from "flags-server-kit/http";
import { LRUCache } from "lru-cache";
import type { ResponseBody } from "../response/flag-list-body.ts";
import { FrequencySketch } from "./frequency-sketch.ts";

/** Memory for the cached responses of one snapshot. */
const MAX_BYTES = 64 * 1024 * 1024;

/** Estimated memory of an entry besides its texts. */
const OVERHEAD_BYTES = 500;
/** Memory of a character of a key, at worst. */
const CHARACTER_BYTES = 2;
/** The body, and at worst as much again for each of the two content codings. */
const FORMS = 3;

/** A response is cached only after its request occurred this often lately. */
const MIN_COUNT = 3;

/** A response that is sent again and again: body and compressed bodies are built once. */
export class CachedResponse implements ResponseBody {
  readonly entityTag: string;
  readonly byteLength: number;
  readonly #body: Buffer;
  #coded: CodedBody | undefined;

  constructor(response: ResponseBody) {
    this.entityTag = response.entityTag;
    this.byteLength = response.byteLength;
    this.#body = response.toBuffer();
  }

  toBinaryString(): string {
    return this.#body.toString("latin1");
  }

  toBuffer(): Buffer {
    return this.#body;
  }

  compressed(coding: ContentCoding): Buffer | Promise<Buffer> {
    this.#coded ??= new CodedBody(this.#body);
    return this.#coded.in(coding);
  }
}

/** The responses of one snapshot by the full text of their requests. */
type Entries = LRUCache<string, CachedResponse>;

/**
 * Responses to requests that occur often, such as those of anonymous visitors.
 *
 * The key is the full text of everything the response depends on: client key, path, query and body.
 * No hash ever stands in for it, so no client can obtain or replace the response to another request.
 * Entries belong to one snapshot and are released with it.
 */
export class ResponseCache {
  readonly #bySnapshot = new WeakMap<Snapshot, Entries>();
  readonly #frequency = new FrequencySketch();
  readonly #maxBytes: number;

  /** @param maxBytes for the entries of one snapshot; default 64 MiB */
  constructor(maxBytes: number = MAX_BYTES) {
    this.#maxBytes = maxBytes;
  }

  get(snapshot: Snapshot, key: string): CachedResponse | undefined {
    return this.#bySnapshot.get(snapshot)?.get(key);
  }

  /** Caches the response if its request is frequent enough, and returns what to send. */
  offer(snapshot: Snapshot, key: string, response: ResponseBody): ResponseBody {
    const count = this.#frequency.increment(key);
    if (count < MIN_COUNT) return response;
    const size = CHARACTER_BYTES * key.length + FORMS * response.byteLength + OVERHEAD_BYTES;
    const entries = this.#entriesOf(snapshot);
    if (size > this.#maxBytes || !this.#admits(entries, size, count)) return response;
    const cached = new CachedResponse(response);
    entries.set(key, cached, { size });
    return cached;
  }

  #entriesOf(snapshot: Snapshot): Entries {
    let entries = this.#bySnapshot.get(snapshot);
    if (entries === undefined) {
      entries = new LRUCache({ maxSize: this.#maxBytes });
      this.#bySnapshot.set(snapshot, entries);
    }
    return entries;
  }

  /**
   * A full cache admits only a request that is clearly more frequent than the one it would evict: a
   * population that is larger than the cache would otherwise replace its entries all the time.
   */
  #admits(entries: Entries, size: number, count: number): boolean {
    if (entries.calculatedSize + size <= this.#maxBytes) return true;
    const victim = entries.rkeys().next().value;
    return victim === undefined || count > 2 * this.#frequency.estimate(victim);
  }
}
