import { ChangeLog } from "./change-log.ts";
import {
  type DeltaMessage,
  featureRemoved,
  type FeatureText,
  featureUpdated,
  segmentRemoved,
  type SegmentText,
  segmentUpdated,
  writeChanges,
  writeHydration,
} from "./delta.ts";

/** How many removed flags, and how many removed segments, a log remembers. */
const MAX_REMOVED = 1000;

interface State {
  readonly features: readonly FeatureText[];
  readonly segments: readonly SegmentText[];
}

/** Records the changes of flags and segments, and writes messages that bring SDKs to the current state. */
export class DeltaLog {
  readonly #features: ChangeLog<string, FeatureText>;
  readonly #segments: ChangeLog<number | string, SegmentText>;

  constructor(revision: number, { features, segments }: State) {
    const start = { revision, maxRemoved: MAX_REMOVED };
    this.#features = new ChangeLog(({ feature }) => feature.name, { ...start, items: features });
    this.#segments = new ChangeLog(({ segment }) => segment.id, { ...start, items: segments });
  }

  /** The oldest revision for which `changes()` writes every change. */
  get completeSince(): number {
    return Math.max(this.#features.completeSince, this.#segments.completeSince);
  }

  /** Number of flags and segments, including the remembered ones that were removed. */
  get size(): number {
    return this.#features.size + this.#segments.size;
  }

  /** The current flags and segments as JSON. */
  *texts(): Generator<string> {
    for (const { text } of this.#features.items()) yield text;
    for (const { text } of this.#segments.items()) yield text;
  }

  /** Records the changes that lead to the state of a later revision. */
  advance(revision: number, { features, segments }: State): void {
    this.#features.advance(revision, features);
    this.#segments.advance(revision, segments);
  }

  /**
   * Writes the changes since a revision that is not older than `completeSince`.
   *
   * @param id what identifies the current state for SDKs
   * @param eventIdOf returns the id of the events of a revision. @default the revision
   */
  changes(
    since: number,
    id: number,
    eventIdOf: (revision: number) => number = (revision) => revision,
  ): DeltaMessage {
    const features = this.#features.since(since);
    const segments = this.#segments.since(since);
    return writeChanges(id, [
      ...segments.updated.map(({ revision, item }) => segmentUpdated(eventIdOf(revision), item)),
      ...features.updated.map(({ revision, item }) => featureUpdated(eventIdOf(revision), item)),
      ...features.removed.map(({ revision, item }) => featureRemoved(eventIdOf(revision), item)),
      ...segments.removed.map(({ revision, item }) => segmentRemoved(eventIdOf(revision), item)),
    ]);
  }

  /** Writes the complete state. */
  hydration(id: number): DeltaMessage {
    return writeHydration(id, this.#features.items(), this.#segments.items());
  }
}
