import { createHash } from "node:crypto";
import {
  ChangeLog,
  type DeltaMessage,
  featureRemoved,
  type FeatureText,
  featureUpdated,
  segmentRemoved,
  type SegmentText,
  segmentUpdated,
  writeChanges,
  writeHydration,
} from "flags-engine";
import type { FeatureDefinitions } from "flags-sdk";
import { type DefinitionTexts, toDefinitionTexts } from "./definition-texts.ts";
import type { DefinitionsQuery } from "./definitions-query.ts";
import { isSelected } from "./select-definitions.ts";

/** Of how many flags and of how many segments that went away it is remembered that they did. */
const MAX_REMOVED = 1000;
/** How many earlier states are recognized. */
const MAX_STATES = 1000;
/** How many messages are kept for the next to ask; nearly all who ask come from the same state. */
const MAX_WRITTEN = 8;

/**
 * The changes of the definitions that a question is about. States are known by a number that comes
 * from their content alone, so an SDK may go on at another replica that has seen the same.
 */
export class DefinitionsFeed {
  readonly #query: DefinitionsQuery;
  readonly #features: ChangeLog<string, FeatureText>;
  readonly #segments: ChangeLog<number | string, SegmentText>;
  /** When each state was in force last, in the order of this process. */
  readonly #turns = new Map<number, number>();
  #definitions: FeatureDefinitions;
  #turn = 0;
  #id: number;
  /** What was written since the last change, by the state of the reader. */
  readonly #written = new Map<number | undefined, DeltaMessage>();

  constructor(query: DefinitionsQuery, definitions: FeatureDefinitions) {
    const { features, segments } = select(definitions, query);
    const start = { revision: this.#turn, maxRemoved: MAX_REMOVED };
    this.#query = query;
    this.#definitions = definitions;
    this.#features = new ChangeLog(({ feature }) => feature.name, { ...start, items: features });
    this.#segments = new ChangeLog(({ segment }) => segment.id, { ...start, items: segments });
    this.#id = idOf({ features, segments });
    this.#turns.set(this.#id, this.#turn);
  }

  /** Names the present state. */
  get id(): number {
    return this.#id;
  }

  /** Takes in the definitions that are in force now. */
  advance(definitions: FeatureDefinitions): void {
    if (definitions === this.#definitions) return;
    this.#definitions = definitions;
    const { features, segments } = select(definitions, this.#query);
    const id = idOf({ features, segments });
    if (id === this.#id) return;
    this.#id = id;
    this.#turn += 1;
    this.#features.advance(this.#turn, features);
    this.#segments.advance(this.#turn, segments);
    this.#written.clear();
    this.#remember();
  }

  /** What an SDK lacks that has the state of this id; everything when that cannot be told. */
  update(id: number | undefined): DeltaMessage {
    const turn = id === undefined ? undefined : this.#turns.get(id);
    const isKnown = turn !== undefined && turn >= this.#completeSince();
    const key = isKnown ? id : undefined;
    const message = this.#written.get(key) ?? (isKnown ? this.#changes(turn) : this.#everything());
    if (this.#written.size < MAX_WRITTEN) this.#written.set(key, message);
    return message;
  }

  #everything(): DeltaMessage {
    return writeHydration(this.#id, this.#features.items(), this.#segments.items());
  }

  #changes(since: number): DeltaMessage {
    const features = this.#features.since(since);
    const segments = this.#segments.since(since);
    const id = this.#id;
    return writeChanges(id, [
      ...segments.updated.map(({ item }) => segmentUpdated(id, item)),
      ...features.updated.map(({ item }) => featureUpdated(id, item)),
      ...features.removed.map(({ item }) => featureRemoved(id, item)),
      ...segments.removed.map(({ item }) => segmentRemoved(id, item)),
    ]);
  }

  #completeSince(): number {
    return Math.max(this.#features.completeSince, this.#segments.completeSince);
  }

  #remember(): void {
    // What comes back counts as new, for the order in which states are forgotten.
    this.#turns.delete(this.#id);
    this.#turns.set(this.#id, this.#turn);
    const [oldest] = this.#turns.keys();
    if (this.#turns.size > MAX_STATES && oldest !== undefined) this.#turns.delete(oldest);
  }
}

function select(definitions: FeatureDefinitions, query: DefinitionsQuery): DefinitionTexts {
  const { features, segments } = toDefinitionTexts(definitions);
  return { features: features.filter(({ feature }) => isSelected(feature, query)), segments };
}

/** Readers of event ids take a number with at most 15 digits. */
const ID_DIGITS = 12;

function idOf({ features, segments }: DefinitionTexts): number {
  const hash = createHash("sha256");
  for (const { digest } of features) hash.update(digest);
  hash.update("segments");
  for (const { digest } of segments) hash.update(digest);
  return Number.parseInt(hash.digest("hex").slice(0, ID_DIGITS), 16);
}
