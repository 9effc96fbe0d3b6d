// The tables of messages, from the source and from the explanations in messages.yaml. A document marks the place of a table
// with a comment that names its part: `<!-- messages:start The upstream -->`.

import { readFile } from "node:fs/promises";
import { parse } from "yaml";
import { collectMessages, levelOfFailure, readTexts } from "./messages.mjs";

const EXPLANATIONS = new URL("messages.yaml", import.meta.url);
const TABLES = /(<!-- messages:start (?<part>[^>]+?) -->\n)[\s\S]*?(<!-- messages:end -->)/g;

/** The messages that mostly say themselves what to do: those of a part that have no explanation are listed below the others. */
const SELF_EXPLAINED = new Map([
  ["Flag definitions", ({ place }) => place.startsWith("packages/engine/src/")],
  ["Proxy responses", ({ status }) => status !== undefined],
]);

/** The parts with texts that are not logged. */
const NOT_LOGGED = new Set([
  "The command flags-proxy compare",
  "Responses of the service",
  "Console",
]);

const MAX_WORDS = 25;

/** Shorter parts of a text are punctuation or words such as "of". */
const SHORTEST_PART = 3;

/** Returns the explained messages, as `{ part, shown, pattern, explanation }`. `pattern` has `…` in the place of inserted text. */
export async function readExplanations() {
  const parts = parse(await readFile(EXPLANATIONS, "utf8"));
  return Object.entries(parts).flatMap(([part, messages]) =>
    Object.entries(messages).map(([text, explanation]) => ({
      part,
      shown: text.replaceAll(/\{([^}]*)\}/g, "$1"),
      pattern: text.replaceAll(/\{[^}]*\}/g, "…"),
      explanation,
    })),
  );
}

/** Returns the document with the tables that it should have. */
export async function withMessageTables(text) {
  if (!text.includes("<!-- messages:start ")) return text;
  const [entries, messages] = [await readExplanations(), await collectMessages()];
  return text.replaceAll(TABLES, (...match) => {
    const { part } = match.at(-1);
    return `${match[1]}\n${formatPart(part, entries, messages)}\n\n${match[3]}`;
  });
}

/** Returns what is wrong with the explanations, or with the parts that a document shows. */
export async function checkExplanations(document) {
  const [entries, messages] = [await readExplanations(), await collectMessages()];
  const shown = [...document.matchAll(TABLES)].map(({ groups }) => groups.part);
  const missing = [...new Set(entries.map(({ part }) => part))].filter(
    (part) => !shown.includes(part),
  );
  return [
    ...missing.map((part) => `The page of messages does not show the part "${part}"`),
    ...findUnexplained(entries, messages).map(
      ({ place, parts }) => `messages.yaml does not explain a message of ${place}: ${join(parts)}`,
    ),
    ...findUnknown(entries, await readTexts()).map(
      ({ pattern }) => `messages.yaml explains "${pattern}", which no program prints`,
    ),
    ...findLong(entries).map(
      ({ shown: text }) => `messages.yaml uses more than ${MAX_WORDS} words for "${text}"`,
    ),
  ];
}

/** Returns the messages that need an explanation and have none. */
export function findUnexplained(entries, messages) {
  const isSelfExplained = [...SELF_EXPLAINED.values()];
  return messages
    .filter((message) => !isSelfExplained.some((matches) => matches(message)))
    .filter((message) => !entries.some((entry) => contains(entry, message)));
}

/** Returns the explained messages with a fixed part that is not in the source. */
export function findUnknown(entries, texts) {
  const source = normalize(texts);
  return entries.filter(
    ({ pattern, explanation }) =>
      explanation.from === undefined &&
      !fixedParts(pattern.split("…")).every((part) => source.includes(part)),
  );
}

function findLong(entries) {
  return entries.filter(({ explanation: { cause, remedy } }) =>
    [cause, remedy].some((text) => countWords(text) > MAX_WORDS),
  );
}

function countWords(text) {
  return text.replaceAll(/\]\([^)]*\)/g, "]").split(/\s+/).length;
}

function formatPart(part, entries, messages) {
  const members = entries.filter((entry) => entry.part === part);
  if (members.length === 0) throw new Error(`messages.yaml has no part ${part}`);
  const groups = groupByExplanation(members);
  const rows = [...groups].map(([explanation, group]) => {
    const names = group.map(({ shown }) => toCode(shown)).join("<br>");
    return `| ${names} | ${describe(explanation, kindOf(group, messages, part))} |`;
  });
  const table = ["| Message | Cause and remedy |", "| - | - |", ...rows].join("\n");
  const rest = formatRest(part, members, messages);
  return rest === "" ? table : `${table}\n\nThese need no explanation:\n\n${rest}`;
}

/** Messages with the same explanation share a row. */
function groupByExplanation(members) {
  const groups = new Map();
  for (const member of members.toSorted((one, other) => compareTexts(one.shown, other.shown))) {
    groups.set(member.explanation, [...(groups.get(member.explanation) ?? []), member]);
  }
  return groups;
}

function formatRest(part, members, messages) {
  const isMember = SELF_EXPLAINED.get(part) ?? (() => false);
  const lines = messages
    .filter(isMember)
    .filter((message) => !members.some((entry) => contains(entry, message)))
    .map(
      ({ parts, status }) => `- ${status === undefined ? "" : `${status}: `}${escape(join(parts))}`,
    );
  return [...new Set(lines)].toSorted(compareTexts).join("\n");
}

/** Returns the status of responses, or the level at which messages are logged; undefined if they are parts of others. */
function kindOf(group, messages, part) {
  if (NOT_LOGGED.has(part)) return undefined;
  const isMember = SELF_EXPLAINED.get(part) ?? (({ status }) => status === undefined);
  const members = messages.filter(isMember);
  const found = group.flatMap((entry) => {
    const [, status] = /^… responded with (\d{3})\b/.exec(entry.shown) ?? [];
    if (status === undefined) return findClosest(entry, members);
    return { level: levelOfFailure({ code: "STATUS", status: Number(status) }) };
  });
  const kinds = new Set(found.map((message) => message.status ?? message.level).filter(Boolean));
  return kinds.size === 0 ? undefined : [...kinds].toSorted(compareTexts).join(", ");
}

/** Returns the messages of which most is fixed, as others match almost everything: "… failed: …". */
function findClosest(entry, messages) {
  const matching = messages.filter((message) => contains(entry, message));
  const longest = Math.max(...matching.map(fixedLength));
  return matching.filter((message) => fixedLength(message) === longest);
}

function fixedLength({ parts }) {
  return parts.join("").length;
}

function describe({ cause, remedy }, kind) {
  return `${kind === undefined ? "" : `_${kind}_: `}${cause} ${remedy}`;
}

/** Whether the shown text of an entry has all fixed parts of a message, in their order. */
function contains({ shown }, { parts }) {
  const text = normalize(shown);
  let from = 0;
  return fixedParts(parts).every((part) => {
    const at = text.indexOf(part, from);
    from = at + part.length;
    return at !== -1;
  });
}

/** Returns the parts without the punctuation around them, which may belong to what is inserted. */
function fixedParts(parts) {
  return parts
    .map((part) => normalize(part).replaceAll(/^[^\p{L}\p{N}]+|[^\p{L}\p{N}]+$/gu, ""))
    .filter((part) => part.length >= SHORTEST_PART);
}

function normalize(text) {
  return text
    .replaceAll("`", "")
    .replaceAll(/[^\S\n]+/g, " ")
    .trim();
}

function join(parts) {
  return parts.join("…");
}

function compareTexts(one, other) {
  return String(one).localeCompare(other, "en", { ignorePunctuation: true, numeric: true });
}

function toCode(text) {
  const fence = text.includes("`") ? "``" : "`";
  const space = text.startsWith("`") || text.endsWith("`") ? " " : "";
  return `${fence}${space}${text.replaceAll("|", "\\|")}${space}${fence}`;
}

function escape(text) {
  return text.replaceAll(/[|*_<>[\]]/g, "\\$&");
}
