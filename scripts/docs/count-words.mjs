// `node scripts/docs/count-words.mjs [directory]`: counts the words of README.md and docs/, without decision records, what
// scripts generate, and blocks of code.

import { resolve } from "node:path";
import { rootDirectory } from "../workspace.mjs";
import { readDocuments } from "./blocks.mjs";

const GENERATED =
  /<!-- (options|aliases|metrics|alerts|events|messages|commands|fields|endpoints):start[\s\S]*?<!-- \1:end -->/g;
const CODE = /^ *```[\s\S]*?^ *```$/gm;

const root = resolve(process.argv[2] ?? rootDirectory);
const counts = (await readDocuments(root))
  .filter(({ name }) => !/^docs\/(?:decisions\/|reference\/admin-endpoints)/.test(name))
  .map(({ name, text }) => ({ name, words: countWords(text) }))
  .toSorted((one, other) => other.words - one.words);
for (const { name, words } of counts) console.log(`${String(words).padStart(6)} ${name}`);
console.log(`${String(counts.reduce((sum, { words }) => sum + words, 0)).padStart(6)} in all`);

function countWords(text) {
  const prose = text.replaceAll(GENERATED, "").replaceAll(CODE, "");
  return (prose.match(/[\p{L}\d][^\s|]*/gu) ?? []).length;
}
