/** A flag as JSON, in one line, and what a message about its end names. */
export interface FeatureText {
  readonly feature: { readonly name: string; readonly project?: string | undefined };
  readonly text: string;
}

/** A segment as JSON, in one line. */
export interface SegmentText {
  readonly segment: { readonly id: number | string };
  readonly text: string;
}

/** Changes on their way to an SDK. */
export interface DeltaMessage {
  /** Revision that the SDK has once it has applied the message. */
  readonly id: number;
  /** How many changes it tells of. */
  readonly size: number;
  /** The message as JSON, in one line. */
  readonly text: string;
}

// Within one revision, segments come before the flags that name them and go after those.
const KINDS = ["segment-updated", "feature-updated", "feature-removed", "segment-removed"] as const;

/** One thing that is different since a revision. */
export interface Change {
  readonly revision: number;
  readonly kind: (typeof KINDS)[number];
  /** What is different, as members of a JSON object. */
  readonly members: string;
}

export function featureUpdated(revision: number, { text }: FeatureText): Change {
  return { revision, kind: "feature-updated", members: `"feature":${text}` };
}

export function featureRemoved(revision: number, { feature }: FeatureText): Change {
  const members = JSON.stringify({ featureName: feature.name, project: feature.project });
  return { revision, kind: "feature-removed", members: members.slice(1, -1) };
}

export function segmentUpdated(revision: number, { text }: SegmentText): Change {
  return { revision, kind: "segment-updated", members: `"segment":${text}` };
}

export function segmentRemoved(revision: number, { segment }: SegmentText): Change {
  return {
    revision,
    kind: "segment-removed",
    members: `"segmentId":${JSON.stringify(segment.id)}`,
  };
}

/** Changes in an order in which they can be applied. The message brings an SDK to `revision`. */
export function writeChanges(revision: number, changes: readonly Change[]): DeltaMessage {
  const ordered = changes.toSorted((a, b) => a.revision - b.revision || rank(a) - rank(b));
  const events = ordered.map(
    ({ revision: id, kind, members }) => `{"eventId":${id},"type":"${kind}",${members}}`,
  );
  return { id: revision, size: events.length, text: `{"events":[${events.join(",")}]}` };
}

function rank({ kind }: Change): number {
  return KINDS.indexOf(kind);
}

/** Everything, for an SDK that knows nothing yet or too little. */
export function writeHydration(
  revision: number,
  features: Iterable<FeatureText>,
  segments: Iterable<SegmentText>,
): DeltaMessage {
  const lists = `"features":${joinTexts(features)},"segments":${joinTexts(segments)}`;
  const text = `{"events":[{"eventId":${revision},"type":"hydration",${lists}}]}`;
  return { id: revision, size: 1, text };
}

function joinTexts(entries: Iterable<{ readonly text: string }>): string {
  return `[${Array.from(entries, ({ text }) => text).join(",")}]`;
}
