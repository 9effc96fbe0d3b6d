import { readdir } from "node:fs/promises";
import { createRequire } from "node:module";
import { join } from "node:path";
import { SEARCH_OPTIONS } from "../../docs/.vitepress/search.mjs";
import { readExplanations } from "./message-tables.mjs";

const MESSAGES = "/reference/troubleshooting";

/** Messages with fewer words are too common to be found by them. */
const MIN_WORDS = 6;

/** The search box accepts so many characters. */
const MAX_LENGTH = 64;

/** A message must be one of so many first results. */
const RESULTS = 5;

/** What people search for, and the page that answers it. */
const SEARCHES = [
  ["schedule", "/guides/launch-at-a-date"],
  ["rollout", "/guides/roll-out-gradually"],
  ["approve", "/guides/protect-production"],
  ["undo", "/guides/undo-a-change"],
  ["slack", "/guides/notify-slack"],
  ["stale", "/guides/clean-up"],
  ["explain", "/guides/find-out-why"],
  ["sign contexts", "/guides/sign-contexts"],
  ["helm", "/guides/deployment/kubernetes"],
  ["email list", "/guides/target-a-list"],
  ["roll out gradually", "/guides/roll-out-gradually"],
  ["launch at a date", "/guides/launch-at-a-date"],
  ["approvals", "/guides/protect-production"],
  ["undo", "/guides/undo-a-change"],
  ["slack", "/guides/notify-slack"],
  ["stale", "/guides/clean-up"],
  ["why is my flag off", "/guides/find-out-why"],
  ["redis", "/guides/run-a-fleet"],
  ["how do I roll out a feature to ten percent", "/guides/roll-out-gradually"],
  [
    "https://flags.example.com/api/client/features responded with 401: the API token is unknown",
    MESSAGES,
  ],
  ["Cannot reach https://flags.example.com/api: connect ECONNREFUSED 10.0.0.7:443", MESSAGES],
];

/**
 * Searches the built site as its search box does. Returns the searches that find another page first, the messages that are
 * not found, and the pages that should not be found.
 */
export async function checkSearch(dist) {
  const { index, wildcard } = await loadIndex(dist);
  const problems = SEARCHES.flatMap(([words, page]) => {
    const [first] = index.search(words);
    if (first?.id.includes(page)) return [];
    return [`The search for "${words}" finds ${first?.id ?? "nothing"} instead of ${page}`];
  });
  for (const { shown } of await readExplanations()) {
    if (shown.match(/[\p{L}\d]+/gu).length < MIN_WORDS) continue;
    const results = index.search(shown.slice(0, MAX_LENGTH)).slice(0, RESULTS);
    if (!results.some(({ id }) => id.includes(MESSAGES)))
      problems.push(`The search for "${shown}" does not find ${MESSAGES}`);
  }
  const unwanted = index.search(wildcard).filter(({ id }) => id.includes("/decisions/"));
  return [...problems, ...unwanted.map(({ id }) => `The search index contains ${id}`)];
}

async function loadIndex(dist) {
  const MiniSearch = createRequire(join(dist, "../../package.json"))("minisearch");
  const folder = join(dist, "assets", "chunks");
  const name = (await readdir(folder)).find((file) => file.startsWith("@localSearchIndexroot."));
  const { default: json } = await import(join(folder, name));
  const index = MiniSearch.loadJSON(json, {
    fields: ["title", "titles", "text"],
    storeFields: ["title", "titles"],
    searchOptions: SEARCH_OPTIONS.miniSearch.searchOptions,
  });
  return { index, wildcard: MiniSearch.wildcard };
}
