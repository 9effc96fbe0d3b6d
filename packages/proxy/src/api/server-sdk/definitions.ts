import type { onRequestHookHandler } from "fastify";
import type { FlagSource } from "../../upstream/flag-source.ts";
import type { Registry } from "prom-client";
import { observeDefinitionsStreams } from "../../metrics/stream-metrics.ts";
import { createDefinitionsReader, type DefinitionsReader } from "./definitions-document.ts";
import { DefinitionsFeeds } from "./definitions-feed.ts";
import { DefinitionsStreams } from "./definitions-streams.ts";

/** The caches and streams that all routes with definitions share. */
export interface DefinitionsServices {
  readonly read: DefinitionsReader;
  readonly feeds: DefinitionsFeeds;
  readonly streams: DefinitionsStreams;
}

/** The dependencies of the routes that send definitions. */
export interface DefinitionsOptions extends DefinitionsServices {
  /** Accepts only server tokens. */
  readonly authenticate: onRequestHookHandler;
  /** The request headers that every response depends on. */
  readonly vary: string;
}

interface DefinitionsDependencies {
  readonly registry: Registry;
  readonly maxStreams: number;
}

/** Creates the shared caches and streams for the definitions of the given sources. */
export function createDefinitions(
  sources: readonly FlagSource[],
  { registry, maxStreams }: DefinitionsDependencies,
): DefinitionsServices {
  const feeds = new DefinitionsFeeds();
  const streams = new DefinitionsStreams(sources, feeds, { maxStreams });
  observeDefinitionsStreams(registry, streams);
  return { read: createDefinitionsReader(), feeds, streams };
}
