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
  const warnOnce = (message: string): void => {
    if (!warned.has(message)) warn(message);
    warned.add(message);
  };
  const keep = (
    features: readonly unknown[],
    filter: string,
    isMatch: (feature: unknown) => boolean,
  ): readonly unknown[] => {
    const matching = features.filter(isMatch);
    if (matching.length < features.length)
      warnOnce(`The upstream sends flags that do not match ${filter}: they are ignored`);
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
        `The upstream does not confirm the filter by tags (${ignored.join(", ")}): flags without these tags may be included`,
      );
    let { features } = document;
    if (projectName)
      features = keep(features, `the project ${JSON.stringify(projectName)}`, (feature) =>
        [undefined, projectName].includes(textOf(feature, "project")),
      );
    if (namePrefix)
      features = keep(
        features,
        `the name prefix ${JSON.stringify(namePrefix)}`,
        (feature) => textOf(feature, "name")?.startsWith(namePrefix) !== false,
      );
    return features.length === document.features.length ? document : { ...document, features };
  };
}

/** Returns undefined for any other value, which the parser reports. */
function textOf(feature: unknown, member: "name" | "project"): string | undefined {
  const value = isRecord(feature) ? feature[member] : undefined;
  return isText(value) ? value : undefined;
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
