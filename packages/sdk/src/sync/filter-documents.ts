import { isRecord } from "flags-engine";
import type { FeatureFilters } from "../transport/upstream-api.ts";

interface Document {
  readonly features: readonly unknown[];
  readonly query?: unknown;
}

/** Removes flags that do not match: not every upstream supports filters, especially for deltas and streams. Warns once about each. */
export function createDocumentFilter(
  { projectName, namePrefix, tags }: FeatureFilters,
  warn: (message: string) => void,
): (document: unknown) => unknown {
  const warned = new Set<string>();
  const warnOnce = (filter: string, message: string): void => {
    if (!warned.has(filter)) warn(message);
    warned.add(filter);
  };
  const keepMatching = (
    features: readonly unknown[],
    member: "project" | "name",
    filter: string,
    isMatch: (text: string) => boolean,
  ): readonly unknown[] => {
    const matching = features.filter((feature) => {
      const value = isRecord(feature) ? feature[member] : undefined;
      // The parser reports any other value.
      return typeof value !== "string" || isMatch(value);
    });
    if (matching.length < features.length)
      warnOnce(filter, `The upstream sends flags that do not match ${filter}: they are ignored`);
    return matching;
  };
  return (document) => {
    if (!isDocument(document)) return document;
    const confirmed = confirmedTags(document);
    const ignored = tags
      .map(({ name, value }) => `${name}:${value}`)
      .filter((tag) => !confirmed.has(tag));
    if (ignored.length > 0)
      warnOnce(
        "tags",
        `The upstream does not confirm the filter by tags (${ignored.join(", ")}): flags without these tags may be included`,
      );
    let { features } = document;
    if (projectName) {
      const filter = `the project ${JSON.stringify(projectName)}`;
      features = keepMatching(features, "project", filter, (id) => id === projectName);
    }
    if (namePrefix) {
      const filter = `the name prefix ${JSON.stringify(namePrefix)}`;
      features = keepMatching(features, "name", filter, (name) => name.startsWith(namePrefix));
    }
    return features.length === document.features.length ? document : { ...document, features };
  };
}

/** Returns the tags in `query.tag`, each of which is `[type, value]` or `type:value`. */
function confirmedTags({ query }: Document): ReadonlySet<string> {
  const tags: unknown = isRecord(query) ? query["tag"] : undefined;
  if (!Array.isArray(tags)) return new Set();
  const parts = tags.map((tag: unknown) => (Array.isArray(tag) ? tag : [tag]));
  return new Set(parts.filter((tag) => tag.every(isText)).map((tag) => tag.join(":")));
}

function isText(value: unknown): value is string {
  return typeof value === "string";
}

function isDocument(document: unknown): document is Document {
  return isRecord(document) && Array.isArray(document["features"]);
}
