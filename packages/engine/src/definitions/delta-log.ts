import { ChangeLog } from "./change-log.ts";

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
  /** The revision of the SDK after it has applied the message. */
  readonly id: number;
  /** The number of events. */
  readonly size: number;
  /** The message as one line of JSON. */
  readonly text: string;
}

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
    const toEvent = (revision: number, type: string, members: string) => {
      const eventId = eventIdOf(revision);
      return { eventId, text: `{"eventId":${eventId},"type":"${type}",${members}}` };
    };
    // Within one revision, segments are added before the flags that use them, and removed after them.
    const events = [
      ...segments.updated.map(({ revision, item }) =>
        toEvent(revision, "segment-updated", `"segment":${item.text}`),
      ),
      ...features.updated.map(({ revision, item }) =>
        toEvent(revision, "feature-updated", `"feature":${item.text}`),
      ),
      ...features.removed.map(({ revision, item: { feature } }) =>
        toEvent(revision, "feature-removed", removedMembers(feature)),
      ),
      ...segments.removed.map(({ revision, item: { segment } }) =>
        toEvent(revision, "segment-removed", `"segmentId":${JSON.stringify(segment.id)}`),
      ),
    ].toSorted((a, b) => a.eventId - b.eventId);
    return { id, size: events.length, text: `{"events":${joinTexts(events)}}` };
  }

  /** Writes the complete state. */
  hydration(id: number): DeltaMessage {
    const features = joinTexts(this.#features.items());
    const segments = joinTexts(this.#segments.items());
    const text = `{"events":[{"eventId":${id},"type":"hydration","features":${features},"segments":${segments}}]}`;
    return { id, size: 1, text };
  }
}

/** NOTE: SDKs based on Yggdrasil reject a whole message if a removal has no project. */
function removedMembers({
  name: featureName,
  project = "default",
}: FeatureText["feature"]): string {
  return JSON.stringify({ featureName, project }).slice(1, -1);
}

function joinTexts(entries: Iterable<{ readonly text: string }>): string {
  return `[${Array.from(entries, ({ text }) => text).join(",")}]`;
}
