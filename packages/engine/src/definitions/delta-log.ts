/** A flag as one line of JSON, and the fields that identify it once it is removed. */
export interface FeatureText {
  readonly feature: { readonly name: string; readonly project?: string | undefined };
  readonly text: string;
}

/** A segment as one line of JSON, and its id. */
export interface SegmentText {
  readonly segment: { readonly id: number | string };
  readonly text: string;
}

/** A message that brings an SDK to a revision. */
export interface DeltaMessage {
  readonly id: number;
  readonly size: number;
  readonly text: string;
}

/** How many removed flags and segments a log remembers. The oldest are dropped first. */
const MAX_REMOVED = 1000;

interface State {
  readonly features: readonly FeatureText[];
  readonly segments: readonly SegmentText[];
}

interface Change {
  readonly revision: number;
  /** The current content, or the last content before the removal. */
  readonly entry: FeatureText | SegmentText;
}

/**
 * Records the revision of the latest change of each flag and segment, and writes messages that bring SDKs to the current
 * state. That is enough for the differences since any earlier revision, however many revisions lie in between.
 */
export class DeltaLog {
  #present: ReadonlyMap<string, Change> = new Map();
  readonly #removed = new Map<string, Change>();
  #completeSince: number;

  constructor(revision: number, state: State) {
    this.#completeSince = revision;
    this.advance(revision, state);
  }

  /** The oldest revision for which `changes()` writes every change. */
  get completeSince(): number {
    return this.#completeSince;
  }

  /** Number of flags and segments, including the remembered ones that were removed. */
  get size(): number {
    return this.#present.size + this.#removed.size;
  }

  *texts(): Generator<string> {
    for (const { entry } of this.#present.values()) yield entry.text;
  }

  advance(revision: number, { features, segments }: State): void {
    const previous = this.#present;
    const present = new Map<string, Change>();
    for (const entry of [...features, ...segments]) {
      const key = keyOf(entry);
      const change = previous.get(key);
      const isUnchanged = change?.entry.text === entry.text;
      present.set(key, isUnchanged ? change : { revision, entry });
      this.#removed.delete(key);
    }
    for (const [key, { entry }] of previous) {
      if (!present.has(key)) this.#removed.set(key, { revision, entry });
    }
    this.#present = present;
    this.#dropOldestRemovals();
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
    const isNewer = ({ revision }: Change): boolean => revision > since;
    const changes = [
      ...[...this.#present.values()].filter(isNewer).map((change) => toUpdate(change)),
      ...[...this.#removed.values()].filter(isNewer).map((change) => toRemoval(change)),
    ].map(({ revision, ...event }) => ({ eventId: eventIdOf(revision), ...event }));
    const events = changes
      .toSorted((a, b) => a.eventId - b.eventId || a.rank - b.rank)
      .map(({ eventId, type, members }) => `{"eventId":${eventId},"type":"${type}",${members}}`);
    return { id, size: events.length, text: `{"events":[${events.join(",")}]}` };
  }

  hydration(id: number): DeltaMessage {
    const entries = Array.from(this.#present.values(), ({ entry }) => entry);
    const features = joinTexts(entries.filter(isFeature));
    const segments = joinTexts(entries.filter((entry) => !isFeature(entry)));
    const text = `{"events":[{"eventId":${id},"type":"hydration","features":${features},"segments":${segments}}]}`;
    return { id, size: 1, text };
  }

  #dropOldestRemovals(): void {
    for (const [key, { revision }] of this.#removed) {
      if (this.#removed.size <= MAX_REMOVED) return;
      this.#removed.delete(key);
      this.#completeSince = Math.max(this.#completeSince, revision);
    }
  }
}

function isFeature(entry: Change["entry"]): entry is FeatureText {
  return "feature" in entry;
}

/** NOTE: segment `1` is not segment `"1"`. */
function keyOf(entry: Change["entry"]): string {
  return isFeature(entry) ? `flag ${entry.feature.name}` : JSON.stringify(entry.segment.id);
}

interface Event {
  readonly revision: number;
  /** Within one revision, segments are added before the flags that use them, and removed after them. */
  readonly rank: number;
  readonly type: string;
  readonly members: string;
}

function toUpdate({ revision, entry }: Change): Event {
  return isFeature(entry)
    ? { revision, rank: 1, type: "feature-updated", members: `"feature":${entry.text}` }
    : { revision, rank: 0, type: "segment-updated", members: `"segment":${entry.text}` };
}

function toRemoval({ revision, entry }: Change): Event {
  if (!isFeature(entry)) {
    const members = `"segmentId":${JSON.stringify(entry.segment.id)}`;
    return { revision, rank: 3, type: "segment-removed", members };
  }
  // NOTE: SDKs based on Yggdrasil reject a whole message if a removal has no project.
  const { name: featureName, project = "default" } = entry.feature;
  const members = JSON.stringify({ featureName, project }).slice(1, -1);
  return { revision, rank: 2, type: "feature-removed", members };
}

function joinTexts(entries: readonly { readonly text: string }[]): string {
  return `[${entries.map(({ text }) => text).join(",")}]`;
}
