import { hash } from "node:crypto";
import type { Steps } from "flags-engine";
import type { FeatureDefinitions } from "../flag-source.ts";
import { toCanonicalText } from "./canonical-text.ts";

const LENGTH = 16;

/**
 * Names the content of definitions: equal wherever they say the same, in whatever order of keys.
 * Each flag and segment has a digest, so of a document that came by a delta only what is new is
 * read. Definitions must not be modified, therefore.
 */
export class Revisions {
  readonly #digests = new WeakMap<object, string>();

  /** Pauses after each flag and segment. */
  *of({ features, segments }: FeatureDefinitions): Steps<string> {
    const featureDigests = yield* this.#digestsOf(features);
    const segmentDigests = yield* this.#digestsOf(segments);
    const text = `${featureDigests.join()};${segmentDigests.join()}`;
    return hash("sha256", text).slice(0, LENGTH);
  }

  /**
   * The same definitions, with the very objects of former ones where those say the same: what was
   * worked out for them, here or elsewhere, need not be again.
   */
  *reuse(
    definitions: FeatureDefinitions,
    former: FeatureDefinitions | undefined,
  ): Steps<FeatureDefinitions> {
    if (former === undefined) return definitions;
    const { version, features, segments } = definitions;
    return {
      version,
      features: yield* this.#reuseEntries(features, former.features),
      segments: yield* this.#reuseEntries(segments, former.segments),
    };
  }

  *#reuseEntries(
    entries: readonly unknown[],
    former: readonly unknown[],
  ): Steps<readonly unknown[]> {
    const known = new Map<string, unknown>();
    for (const entry of former) {
      known.set(this.digestOf(entry as object), entry);
      yield;
    }
    const reused: unknown[] = [];
    for (const entry of entries) {
      reused.push(known.get(this.digestOf(entry as object)) ?? entry);
      yield;
    }
    return reused;
  }

  *#digestsOf(entries: readonly unknown[]): Steps<readonly string[]> {
    const digests: string[] = [];
    for (const entry of entries) {
      digests.push(this.digestOf(entry as object));
      yield;
    }
    return digests;
  }

  /** The digest of one flag or segment. */
  digestOf(entry: object): string {
    const known = this.#digests.get(entry);
    if (known !== undefined) return known;
    // NOTE: in UTF-8 all halves of surrogate pairs that stand alone would be the same.
    const digest = hash("sha256", Buffer.from(toCanonicalText(entry), "utf16le"), "base64");
    this.#digests.set(entry, digest);
    return digest;
  }
}
