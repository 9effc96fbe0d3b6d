import type { FlagSource } from "flags-sdk";
import { Gauge, type Registry } from "prom-client";
import { DefinitionsFeeds } from "./definitions-feeds.ts";
import { createDefinitionsReader, type DefinitionsReader } from "./definitions-reader.ts";
import { DefinitionsStreams } from "./definitions-streams.ts";

/** What all routes share that hand out definitions: what one has written need not be again. */
export interface DefinitionsHub {
  readonly read: DefinitionsReader;
  readonly feeds: DefinitionsFeeds;
  readonly streams: DefinitionsStreams;
  readonly open: Gauge;
}

/** Follows the definitions of sources, for whoever asks for them or for their changes. */
export function createDefinitionsHub(
  sources: readonly FlagSource[],
  registry: Registry,
): DefinitionsHub {
  const feeds = new DefinitionsFeeds();
  const streams = new DefinitionsStreams(sources, feeds);
  const open = new Gauge({
    name: "flags_proxy_definition_streams",
    help: "Streams of definitions that are open to server SDKs and other proxies",
    registers: [registry],
    collect() {
      this.set(streams.size);
    },
  });
  return { read: createDefinitionsReader(), feeds, streams, open };
}
