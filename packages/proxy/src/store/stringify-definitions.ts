import { setImmediate as nextTurn } from "node:timers/promises";
import type { FeatureDefinitions } from "flags-sdk";

const SLICE_MS = 5;

/** Converts definitions to JSON in slices of 5 ms, between which requests are served. */
export async function stringifyDefinitions({
  version,
  features,
  segments,
}: FeatureDefinitions): Promise<string> {
  const slicer = new Slicer();
  const featureText = await slicer.stringify(features);
  const segmentText = await slicer.stringify(segments);
  return `{"version":${version},"features":${featureText},"segments":${segmentText}}`;
}

class Slicer {
  #endMs = performance.now() + SLICE_MS;

  async stringify(entries: readonly unknown[]): Promise<string> {
    const texts: string[] = [];
    for (const entry of entries) {
      texts.push(JSON.stringify(entry));
      if (performance.now() < this.#endMs) continue;
      // oxlint-disable-next-line no-await-in-loop -- to let other events be processed
      await nextTurn();
      this.#endMs = performance.now() + SLICE_MS;
    }
    return `[${texts.join()}]`;
  }
}
