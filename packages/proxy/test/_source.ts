import { createHash } from "node:crypto";
import { EventEmitter } from "node:events";
import { hostname } from "node:os";
import { compileSnapshot, parseDocument, type CustomStrategy, type Snapshot } from "flags-engine";
import type { FeatureDefinitions, FlagOrigin, FlagSourceEvents } from "flags-sdk";
import type { FlagSource } from "../src/upstream/flag-source.ts";
import type { ApplicationUsage } from "../src/upstream/usage/application-usage.ts";

export interface SourceDocument {
  readonly version?: number;
  readonly features: readonly unknown[];
  readonly segments?: readonly unknown[];
}

/** A flag source for tests: a document, compiled by the real engine. */
export class DocumentSource implements FlagSource {
  snapshot: Snapshot | undefined;
  definitions: FeatureDefinitions | undefined;
  lastFetchAtMs: number | undefined;
  lastUpdateAtMs: number | undefined;
  origin: FlagOrigin | undefined;
  confirmedAtMs: number | undefined;
  isLive = false;
  readonly usage: ApplicationUsage[] = [];
  readonly #events = new EventEmitter();
  readonly #strategies: readonly CustomStrategy[];

  constructor(document?: SourceDocument, strategies: readonly CustomStrategy[] = []) {
    this.#strategies = strategies;
    if (document !== undefined) this.replace(document);
  }

  replace(document: SourceDocument): void {
    const text = JSON.stringify(document);
    this.snapshot = compileSnapshot(parseDocument(JSON.parse(text)), {
      revision: createHash("sha256").update(text).digest("hex").slice(0, 16),
      strategies: this.#strategies,
      hostname: hostname(),
      now: Date.now,
      random: Math.random,
    });
    this.definitions = { version: 2, segments: [], ...document };
    this.lastFetchAtMs = 1_700_000_000_000;
    this.lastUpdateAtMs = 1_600_000_000_000;
    this.emit("changed", this.snapshot);
  }

  start(): void {}

  async close(): Promise<void> {}

  on<Event extends keyof FlagSourceEvents>(event: Event, listener: FlagSourceEvents[Event]): this {
    this.#events.on(event, listener);
    return this;
  }

  off<Event extends keyof FlagSourceEvents>(event: Event, listener: FlagSourceEvents[Event]): this {
    this.#events.off(event, listener);
    return this;
  }

  emit<Event extends keyof FlagSourceEvents>(
    event: Event,
    ...payload: Parameters<FlagSourceEvents[Event]>
  ): void {
    this.#events.emit(event, ...payload);
  }

  /** The result of `reportUsage`; undefined like that of sources that return nothing. */
  accepts: boolean | undefined = true;

  reportUsage(usage: ApplicationUsage): boolean {
    if (this.accepts !== false) this.usage.push(usage);
    return this.accepts as boolean;
  }
}
