import type { Steps } from "flags-engine";
import type { FeatureDefinitions } from "flags-sdk";
import { TimeSlicer } from "flags-sdk/neutral";

/** Converts definitions to JSON in slices of 5 ms, between which requests are served. */
export function stringifyDefinitions(definitions: FeatureDefinitions): Promise<string> {
  return new TimeSlicer().run(stringify(definitions));
}

function* stringify({ version, features, segments }: FeatureDefinitions): Steps<string> {
  const featureText = yield* stringifyList(features);
  const segmentText = yield* stringifyList(segments);
  return `{"version":${version},"features":${featureText},"segments":${segmentText}}`;
}

function* stringifyList(entries: readonly unknown[]): Steps<string> {
  const texts: string[] = [];
  for (const entry of entries) {
    texts.push(JSON.stringify(entry));
    yield;
  }
  return `[${texts.join()}]`;
}
