import {
  ChangeLog,
  featureRemoved,
  featureUpdated,
  segmentRemoved,
  segmentUpdated,
  writeChanges,
  writeHydration,
  type DeltaMessage,
} from "flags-engine";
import type { EnvironmentState, FeatureEntry, SegmentEntry } from "../environment-state.ts";
import type { FeatureQuery } from "../feature-query.ts";
import { selectFeatures } from "../select-features.ts";

const MAX_REMOVED = 1000;

/** The changes of the part of an environment that a question is about. */
export class ScopeFeed {
  readonly query: FeatureQuery;
  readonly #features: ChangeLog<string, FeatureEntry>;
  readonly #segments: ChangeLog<number, SegmentEntry>;
  readonly #start: number;
  /** The first revision after the start. */
  #firstChange = Infinity;
  #revision: number;

  constructor(query: FeatureQuery, state: EnvironmentState) {
    const { features, segments } = selectFeatures(state, query);
    const { revision } = state;
    const start = { revision, maxRemoved: MAX_REMOVED };
    this.query = query;
    this.#start = revision;
    this.#revision = revision;
    this.#features = new ChangeLog(({ feature }) => feature.name, { ...start, items: features });
    this.#segments = new ChangeLog(({ segment }) => segment.id, { ...start, items: segments });
  }

  get revision(): number {
    return this.#revision;
  }

  /** Takes in the state of a later revision; an earlier one is passed over. */
  advance(state: EnvironmentState): void {
    if (state.revision <= this.#revision) return;
    const { features, segments } = selectFeatures(state, this.query);
    this.#features.advance(state.revision, features);
    this.#segments.advance(state.revision, segments);
    this.#revision = state.revision;
    this.#firstChange = Math.min(this.#firstChange, state.revision);
  }

  /** Everything, for an SDK that knows nothing yet. */
  hydrate(): DeltaMessage {
    return writeHydration(this.#revision, this.#features.items(), this.#segments.items());
  }

  /** What an SDK of a revision lacks; everything when that cannot be told any more. */
  update(revision: number): DeltaMessage {
    if (!this.#knows(revision)) return this.hydrate();

    const features = this.#features.since(revision);
    const segments = this.#segments.since(revision);
    return writeChanges(this.#revision, [
      ...segments.updated.map((step) => segmentUpdated(step.revision, step.item)),
      ...features.updated.map((step) => featureUpdated(step.revision, step.item)),
      ...features.removed.map((step) => featureRemoved(step.revision, step.item)),
      ...segments.removed.map((step) => segmentRemoved(step.revision, step.item)),
    ]);
  }

  /** NOTE: what lies between the start and the first change was given out before a restore. */
  #knows(revision: number): boolean {
    const oldest = Math.max(this.#features.completeSince, this.#segments.completeSince);
    const isOfAnotherHistory = revision > this.#start && revision < this.#firstChange;
    return revision >= oldest && revision <= this.#revision && !isOfAnotherHistory;
  }
}
