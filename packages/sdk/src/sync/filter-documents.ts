import { isRecord } from "flags-engine";
import type { FeatureFilters } from "../transport/upstream-api.ts";

type Feature = Readonly<Record<string, unknown>>;

interface Filter {
  /** For messages. */
  readonly name: string;
  readonly isMatch: (feature: Feature) => boolean;
}

/** Warns only once for each kind. */
type WarnOnce = (kind: string, message: string) => void;

interface Document {
  readonly features: readonly unknown[];
  readonly query?: unknown;
}

/**
 * Creates a function that removes flags that do not match the project and the name prefix: not every
 * upstream supports these filters, especially for deltas and streams. Tags cannot be checked, because
 * flags do not contain them; an upstream that filters by tags repeats them in the `query` of the
 * document. Warns once about each filter that the upstream ignores.
 */
export function createDocumentFilter(
  filters: FeatureFilters,
  warn: (message: string) => void,
): (document: unknown) => unknown {
  const warnOnce = createWarnOnce(warn);
  const active = activeFilters(filters);
  return (document) => {
    if (!isDocument(document)) return document;
    warnIfTagsIgnored(document, filters.tags, warnOnce);
    let { features } = document;
    for (const { name, isMatch } of active) {
      const matching = features.filter((feature) => !isRecord(feature) || isMatch(feature));
      const ignored = features.length - matching.length;
      if (ignored > 0)
        warnOnce(name, `The upstream sends flags that do not match ${name}: they are ignored`);
      features = matching;
    }
    return features.length === document.features.length ? document : { ...document, features };
  };
}

function activeFilters({ projectName, namePrefix }: FeatureFilters): readonly Filter[] {
  const filters: Filter[] = [];
  if (projectName) {
    filters.push({
      name: `the project ${JSON.stringify(projectName)}`,
      isMatch: (feature) => matchesIfText(feature, "project", (id) => id === projectName),
    });
  }
  if (namePrefix) {
    filters.push({
      name: `the name prefix ${JSON.stringify(namePrefix)}`,
      isMatch: (feature) => matchesIfText(feature, "name", (name) => name.startsWith(namePrefix)),
    });
  }
  return filters;
}

/** Also true if the member is not a string, so that the parser reports the malformed flag. */
function matchesIfText(
  feature: Feature,
  member: "name" | "project",
  isMatch: (text: string) => boolean,
): boolean {
  const value = feature[member];
  return typeof value !== "string" || isMatch(value);
}

function warnIfTagsIgnored(
  document: Document,
  tags: FeatureFilters["tags"],
  warnOnce: WarnOnce,
): void {
  if (tags.length === 0) return;
  const confirmed = confirmedTags(document);
  const ignored = tags
    .map(({ name, value }) => `${name}:${value}`)
    .filter((tag) => !confirmed.has(tag));
  if (ignored.length === 0) return;
  warnOnce(
    "tags",
    `The upstream does not confirm the filter by tags (${ignored.join(", ")}): flags without these tags may be included`,
  );
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

function createWarnOnce(warn: (message: string) => void): WarnOnce {
  const warned = new Set<string>();
  return (kind, message) => {
    if (warned.has(kind)) return;
    warned.add(kind);
    warn(message);
  };
}
