import { createHash } from "node:crypto";
import { DeltaLog, type DeltaMessage } from "flags-engine";
import type { FeatureDefinitions } from "flags-sdk";
import type { FlagSource } from "../../upstream/flag-source.ts";
import type { DeltaFeed } from "flags-server-kit/http";
import { LRUCache } from "lru-cache";
import {
  createFilter,
  idOfRestriction,
  isUnrestricted,
  type Restriction,
} from "../access/restriction.ts";
import type { VisibleFlags } from "../access/visible-flags.ts";
import { type DefinitionTexts, toDefinitionTexts } from "./definitions-document.ts";

/** How many earlier states a feed recognizes. */
const MAX_STATES = 1000;
/** Estimated memory for one flag, and time for it after a change, expressed as memory. */
const FLAG_BYTES = 100;
/** How many messages are cached; nearly all clients come from the same state. */
const MAX_CACHED_MESSAGES = 8;

/**
 * The changes of the definitions that a query selects. The id of a state is a hash of its content,
 * so that an SDK can continue at another replica.
 */
export class DefinitionsFeed implements DeltaFeed {
  readonly #query: Restriction;
  readonly #log: DeltaLog;
  /** The sequence number at which each state was last current in this process. */
  readonly #sequenceOf = new Map<number, number>();
  #definitions: FeatureDefinitions;
  #sequence = 0;
  #id: number;
  /** Messages since the last change, by the state of the client. */
  readonly #messages = new Map<number | undefined, DeltaMessage>();

  constructor(query: Restriction, definitions: FeatureDefinitions) {
    const texts = select(definitions, query);
    this.#query = query;
    this.#definitions = definitions;
    this.#log = new DeltaLog(this.#sequence, texts);
    this.#id = idOf(texts);
    this.#sequenceOf.set(this.#id, this.#sequence);
  }

  get id(): number {
    return this.#id;
  }

  /** Estimates what the feed costs. There is only one without filters, which does not depend on the client. */
  get bytes(): number {
    if (isUnrestricted(this.#query)) return 0;
    let length = 0;
    for (const text of this.#log.texts()) length += text.length;
    return 2 * length + FLAG_BYTES * this.#definitions.features.length;
  }

  advance(definitions: FeatureDefinitions): void {
    if (definitions === this.#definitions) return;
    this.#definitions = definitions;
    const texts = select(definitions, this.#query);
    const id = idOf(texts);
    if (id === this.#id) return;
    this.#id = id;
    this.#sequence += 1;
    this.#log.advance(this.#sequence, texts);
    this.#messages.clear();
    this.#rememberState();
  }

  update(sinceId: number | undefined): DeltaMessage {
    const sequence = sinceId === undefined ? undefined : this.#sequenceOf.get(sinceId);
    const isKnown = sequence !== undefined && sequence >= this.#log.completeSince;
    const key = isKnown ? sinceId : undefined;
    const message = this.#messages.get(key) ?? this.#write(isKnown ? sequence : undefined);
    if (this.#messages.size < MAX_CACHED_MESSAGES) this.#messages.set(key, message);
    return message;
  }

  #write(since: number | undefined): DeltaMessage {
    const id = this.#id;
    return since === undefined ? this.#log.hydration(id) : this.#log.changes(since, id, () => id);
  }

  #rememberState(): void {
    // A state that returns counts as new: the oldest states are forgotten first.
    this.#sequenceOf.delete(this.#id);
    this.#sequenceOf.set(this.#id, this.#sequence);
    const [oldest] = this.#sequenceOf.keys();
    if (this.#sequenceOf.size > MAX_STATES && oldest !== undefined) {
      this.#sequenceOf.delete(oldest);
    }
  }
}

function select(definitions: FeatureDefinitions, query: Restriction): DefinitionTexts {
  const { features, segments } = toDefinitionTexts(definitions);
  const isIncluded = createFilter(query);
  return { features: features.filter(({ feature }) => isIncluded(feature)), segments };
}

/** 32 bits: SDKs based on Yggdrasil and Edge ignore a message with a larger event id. */
const ID_HEX_DIGITS = 8;

function idOf({ features, segments }: DefinitionTexts): number {
  const hash = createHash("sha256");
  for (const { digest } of features) hash.update(digest);
  hash.update("segments");
  for (const { digest } of segments) hash.update(digest);
  return Number.parseInt(hash.digest("hex").slice(0, ID_HEX_DIGITS), 16);
}

/** How many queries have a feed at a time. */
const MAX_FEEDS = 200;

interface RecentFeed {
  readonly flags: VisibleFlags;
  readonly feed: DefinitionsFeed;
}

export class DefinitionsFeeds {
  readonly #recent = new LRUCache<string, RecentFeed>({ max: MAX_FEEDS });

  /** Returns the up-to-date feed of a query; undefined if the source has no definitions yet. */
  current(flags: VisibleFlags, query: Restriction): DefinitionsFeed | undefined {
    const { definitions, restriction, source } = flags;
    if (definitions === undefined) return undefined;
    const ids = [restriction, query].map(idOfRestriction);
    const key = JSON.stringify([source.name, ...ids]);
    const known = this.#recent.get(key);
    const feed = known?.flags === flags ? known.feed : new DefinitionsFeed(query, definitions);
    this.#recent.set(key, { flags, feed });
    feed.advance(definitions);
    return feed;
  }

  /** Advances every feed of a source: a state that a feed has missed is not recognized later. */
  advance(changed: FlagSource): void {
    for (const { flags, feed } of this.#recent.values()) {
      const { definitions, source } = flags;
      if (source.flags === changed && definitions !== undefined) feed.advance(definitions);
    }
  }
}
