import { hash } from "node:crypto";
import type { Steps } from "flags-engine";
import type { FeatureDefinitions } from "../synced-flags.ts";

const LENGTH = 16;

/**
 * Identifies the content of definitions by a hash. Caches the hash of each flag and segment object, so that only
 * new objects are hashed after a delta. Therefore definitions must not be modified.
 */
export class Revisions {
  readonly #hashes = new WeakMap<object, string>();

  /** 16 hexadecimal digits. */
  *of({ features, segments }: FeatureDefinitions): Steps<string> {
    const featureHashes = yield* this.#hashesOf(features);
    const segmentHashes = yield* this.#hashesOf(segments);
    const text = `${featureHashes.join()};${segmentHashes.join()}`;
    return hash("sha256", text).slice(0, LENGTH);
  }

  /** Replaces equal flags and segments by the previous objects, so that everything cached by object identity remains valid. */
  *reuse(
    definitions: FeatureDefinitions,
    previous: FeatureDefinitions | undefined,
  ): Steps<FeatureDefinitions> {
    if (previous === undefined) return definitions;
    const { version, features, segments } = definitions;
    return {
      version,
      features: yield* this.#reuseEntries(features, previous.features),
      segments: yield* this.#reuseEntries(segments, previous.segments),
    };
  }

  *#reuseEntries(
    entries: readonly unknown[],
    previous: readonly unknown[],
  ): Steps<readonly unknown[]> {
    const previousByHash = new Map<string, unknown>();
    for (const entry of previous) {
      previousByHash.set(this.#hashOf(entry as object), entry);
      yield;
    }
    const reused: unknown[] = [];
    for (const entry of entries) {
      reused.push(previousByHash.get(this.#hashOf(entry as object)) ?? entry);
      yield;
    }
    return reused;
  }

  *#hashesOf(entries: readonly unknown[]): Steps<readonly string[]> {
    const hashes: string[] = [];
    for (const entry of entries) {
      hashes.push(this.#hashOf(entry as object));
      yield;
    }
    return hashes;
  }

  #hashOf(entry: object): string {
    const cached = this.#hashes.get(entry);
    if (cached !== undefined) return cached;
    const computed = hash("sha256", JSON.stringify(entry), "base64");
    this.#hashes.set(entry, computed);
    return computed;
  }
}
