import type { onRequestHookHandler } from "fastify";
import type { FlagSource } from "flags-sdk";
import { streamsWithin } from "flags-server-kit";
import type { Registry } from "prom-client";
import { observeDefinitionsStreams } from "../../metrics/streams.ts";
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

/** Maximum number of streams, if the limit of connections allows that many. */
const MAX_STREAMS = 10_000;

interface DefinitionsDependencies {
  readonly registry: Registry;
  readonly maxConnections: number;
}

/** Creates the shared caches and streams for the definitions of the given sources. */
export function createDefinitions(
  sources: readonly FlagSource[],
  { registry, maxConnections }: DefinitionsDependencies,
): DefinitionsServices {
  const feeds = new DefinitionsFeeds();
  const maxStreams = streamsWithin(maxConnections, MAX_STREAMS);
  const streams = new DefinitionsStreams(sources, feeds, { maxStreams });
  observeDefinitionsStreams(registry, streams);
  return { read: createDefinitionsReader(), feeds, streams };
}
