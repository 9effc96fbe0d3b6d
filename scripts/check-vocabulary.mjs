// Part of `npm run docs:check`: fails if a file contains a term that this project has replaced with a
// standard one. The glossary is in ARCHITECTURE.md.
//
// `node scripts/check-vocabulary.mjs PATH...` checks only files whose paths start with one of these.

import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));

/** Replaced terms, as patterns of whole words, and the terms to use instead. */
const REPLACEMENTS = [
  ["answer(s|ed|ing|able)?|unanswered", "response, outcome, result; respond, serve"],
  ["ask(s|ed|ing)?", "request, call, query"],
  ["told|tell(s|ing)?|untold", "notified, sent, reported, logged"],
  ["questions?", "request"],
  ["fault(s|y)?", "error, failure"],
  ["former(ly)?", "previous"],
  ["in force", "current"],
  ["pieces?", "fragment, part"],
  ["gather(s|ed|ing)?", "concatenate, collect"],
  ["stretch(es|ed)?", "run of fragments, range"],
  ["quads?", "batch of four"],
  ["lanes?", "batch, connection, sequence"],
  ["rooms?", "capacity, limit, buffer"],
  ["unif(y|ies|ied)", "deduplicate"],
  ["settle[sd]?|settling", "resolve"],
  ["key ?rings?|key places?", "key registry, key extractor"],
  ["intakes?|take[sn]? in|took in", "ingestion; accept"],
  ["surroundings?|manners?|inquir(y|ies)|takers?", "dependencies, options"],
  ["flaws?|flawed", "invalid value, problem"],
  ["fates?", "exit reason, result"],
  ["nouns?", "display name"],
  ["advice", "hint"],
  ["preparations?", "hook; work done before the swap"],
  ["relevance", "context dependencies"],
  ["dialects?", "protocol"],
  ["greet(s|ed|ing|ings)?", "send the initial state"],
  ["farewells?|goodbyes?", "graceful close"],
  ["nowhere", "none, no address"],
  ["witness(es)?", "a precise word"],
  ["beside", "next to, in addition to"],
  ["(that|which) (is|are) none", "is not one, does not exist"],
  ["unheard", "missed"],
  ["must be text|(lists?|objects?) of texts|(such|empty) texts", "string, strings"],
  ["doorkeepers?", "frequency-based admission (TinyLFU)"],
  ["switch(ed|ing)?( it| them)? (on|off)|switches( it| them)? off", "turn on, turn off"],
];

/** Exceptions: the start of the path of a file, and a pattern of the allowed lines. */
const ALLOWED = [
  // The JavaScript API.
  ["", /allSettled|PromiseSettledResult/],
  // A callback of the query library.
  ["packages/console/", /onSettled:/],
];

const SKIPPED = /(?:^|\/)package-lock\.json$|^LICENSE$|^bench\/RESULTS\.md$|\.(?:png|ico|svg)$/;

const TERMS = REPLACEMENTS.map(([pattern, instead]) => ({
  pattern: new RegExp(`\\b(?:${pattern})\\b`, "i"),
  instead,
}));

const self = "scripts/check-vocabulary.mjs";
const prefixes = process.argv.slice(2);
const files = execFileSync("git", ["ls-files", "--cached", "--others", "--exclude-standard"], {
  cwd: root,
  encoding: "utf8",
})
  .split("\n")
  .filter((path) => path !== "" && path !== self && !SKIPPED.test(path))
  .filter((path) => prefixes.length === 0 || prefixes.some((prefix) => path.startsWith(prefix)));

let count = 0;
for (const path of files) {
  check(path, path, path);
  for (const [index, line] of readIfPresent(path).split("\n").entries()) {
    check(path, `${path}:${index + 1}`, line);
  }
}
if (count > 0) {
  console.error(`${count} uses of replaced terms; see scripts/check-vocabulary.mjs`);
  process.exit(1);
}
console.log(`${files.length} files use the terms of the glossary`);

function check(path, place, text) {
  const words = toWords(text);
  for (const { pattern, instead } of TERMS) {
    const found = pattern.exec(words);
    if (found === null || isAllowed(path, text)) continue;
    count += 1;
    console.error(`${place}: "${found[0]}"; write ${instead}`);
  }
}

function isAllowed(path, text) {
  return ALLOWED.some(([prefix, pattern]) => path.startsWith(prefix) && pattern.test(text));
}

/** Splits identifiers such as `isInForce`, `IN_FORCE` and `in-force` into words. */
function toWords(text) {
  return text
    .replaceAll(/([a-z0-9])([A-Z])/g, "$1 $2")
    .replaceAll(/([A-Z])([A-Z][a-z])/g, "$1 $2")
    .replaceAll(/[_-]+/g, " ");
}

function readIfPresent(path) {
  try {
    return readFileSync(`${root}${path}`, "utf8");
  } catch {
    // The file has been deleted, but git still lists it.
    return "";
  }
}
