// The messages that users can see in logs and responses, collected from the source. Each has to be explained in
// docs/reference/troubleshooting.md. `node scripts/docs/messages.mjs` lists them.

import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseAst } from "rolldown/parseAst";
import { walk } from "./walk.mjs";

const root = fileURLToPath(new URL("../..", import.meta.url));

/**
 * What creates a message: calls by the names of functions and methods, and errors by the names of classes. The errors of
 * the admin API are not included: they describe the request.
 */
const SOURCES = [
  {
    folder: "packages/proxy/src",
    calls: ["warn", "error", "fatal", "unavailable"],
    errors: ["HttpError", "UpstreamError"],
  },
  {
    folder: "packages/sdk/src",
    calls: ["warn", "error"],
    errors: ["UpstreamError", "DocumentError"],
  },
  { folder: "packages/engine/src", calls: ["report"], errors: ["DocumentError"] },
  { folder: "packages/server-kit/src", calls: ["warn", "error", "fatal"], errors: [] },
  { folder: "packages/admin/src", calls: ["warn", "error", "fatal"], errors: [] },
];

/** Documents may shorten messages: this much of the longest fixed part identifies one. */
const IDENTIFYING_LENGTH = 45;

/** Shorter texts are names or punctuation rather than messages. */
const SHORTEST_FRAGMENT = 8;

let collected;

/** Returns all messages, as `{ place, parts, status }`: the fixed parts of the text, and the status of a response. */
export function collectMessages() {
  collected ??= Promise.all(SOURCES.map(collectFrom)).then((lists) => lists.flat());
  return collected;
}

/** Returns the messages that the document does not contain. */
export function findUnexplained(document, messages) {
  const text = normalize(document);
  return messages.filter(({ parts }) => !text.includes(identify(parts)));
}

const RESPONSES = /(<!-- responses:start -->\n)(?<body>[\s\S]*?)(<!-- responses:end -->)/g;
const MESSAGES =
  /(<!-- messages:start (?<folder>\S+) -->\n)(?<body>[\s\S]*?)(<!-- messages:end -->)/g;

/**
 * Returns the document with lists in the places that comments mark: the error responses of the proxy, and the messages of
 * a package that say by themselves what they mean.
 */
export async function withMessageLists(text) {
  if (!/<!-- (?:responses|messages):start/.test(text)) return text;
  const messages = await collectMessages();
  const responses = sortedLines(
    messages
      .filter(({ status }) => status !== undefined)
      .map(({ parts, status }) => `| ${status} | ${toText(parts)} |`),
  );
  return text
    .replaceAll(RESPONSES, (_, start, body, end) => {
      return `${start}\n| Status | Message |\n| - | - |\n${responses}\n\n${end}`;
    })
    .replaceAll(MESSAGES, (_, start, folder, body, end) => {
      const members = messages.filter(({ place }) => place.startsWith(folder));
      const list = sortedLines(members.map(({ parts }) => `- ${toText(parts)}`));
      return `${start}\n${list}\n\n${end}`;
    });
}

function sortedLines(lines) {
  return [...new Set(lines)].toSorted((one, other) => one.localeCompare(other, "en")).join("\n");
}

function toText(parts) {
  return escape(parts.join("…"));
}

function escape(text) {
  return text.replaceAll(/[|*_<>[\]]/g, "\\$&");
}

/** A setting as `nameSetting()` names it in messages. */
const NAMED_SETTING = /\b[A-Z]+(?:_[A-Z]+)+ \(option [\w.]+\)/g;

/** A variable at the beginning of a message, which says where a value comes from. */
const ORIGIN = /^[A-Z]+(?:_[A-Z]+)+:$/;

/**
 * Returns the parts of the messages in the first column of a document's tables that name a variable but are not in
 * the source, because the programs insert other text there: usually `(option …)` after the variable.
 */
export async function findMisquoted(document) {
  const source = await readSource();
  const cells = [...document.matchAll(/^\| (`.*?`) +\| /gm)].map(([, cell]) => cell);
  const quotes = cells.flatMap((cell) => [...cell.matchAll(/`([^`]+)`/g)].map(([, text]) => text));
  return quotes
    .flatMap((text) => text.replaceAll(NAMED_SETTING, "…").split("…"))
    .map((part) => part.trim())
    .filter((part) => /\b[A-Z]+_[A-Z]+/.test(part) && !ORIGIN.test(part) && part.includes(" "))
    .filter((part) => !source.includes(part));
}

/** Returns the text of all source files. */
async function readSource() {
  const texts = await Promise.all(
    SOURCES.map(async ({ folder }) => {
      const paths = await readdir(join(root, folder), { recursive: true });
      const files = paths.filter((path) => path.endsWith(".ts") && !path.endsWith(".test.ts"));
      return Promise.all(files.map((path) => readFile(join(root, folder, path), "utf8")));
    }),
  );
  return texts.flat().join("\n");
}

async function collectFrom({ folder, calls, errors }) {
  const entries = await readdir(join(root, folder), { recursive: true });
  const files = entries.filter(
    (path) => path.endsWith(".ts") && !/\.test\.ts$|(?:^|\/)_/.test(path),
  );
  const lists = await Promise.all(
    files.toSorted().map(async (path) => {
      const code = await readFile(join(root, folder, path), "utf8");
      const program = parseAst(code, { lang: "ts" });
      return findMessages(program, { calls, errors }).map((message) => ({
        place: `${folder}/${path}`,
        ...message,
      }));
    }),
  );
  return lists.flat();
}

function findMessages(program, { calls, errors }) {
  const constants = new Map();
  walk(program, (node) => {
    if (node.type === "VariableDeclarator" && node.init) {
      constants.set(node.id.name, [...(constants.get(node.id.name) ?? []), node.init]);
    }
  });
  const messages = [];
  walk(program, (node) => {
    const creates =
      (node.type === "CallExpression" && calls.includes(nameOf(node.callee))) ||
      (node.type === "NewExpression" && errors.includes(nameOf(node.callee)));
    if (!creates) return;
    for (const argument of node.arguments) {
      const parts = readParts(argument, constants);
      if (longest(parts).length >= SHORTEST_FRAGMENT)
        messages.push({ parts, status: statusOf(node) });
    }
  });
  return messages;
}

/** The status of a response of the proxy; undefined for messages of the log. */
function statusOf({ callee, arguments: [first] }) {
  if (nameOf(callee) === "unavailable") return 503;
  return nameOf(callee) === "HttpError" ? first.value : undefined;
}

function nameOf(callee) {
  const name = callee.type === "MemberExpression" ? callee.property.name : callee.name;
  return name?.replace(/^#/, "");
}

/** Returns the fixed parts of a text; what is inserted ends a part. */
function readParts(node, constants) {
  if (node.type === "Literal") return typeof node.value === "string" ? [node.value] : [];
  if (node.type === "TemplateLiteral") return node.quasis.map(({ value }) => value.cooked);
  if (node.type === "BinaryExpression" && node.operator === "+") {
    const left = readParts(node.left, constants);
    const [first = "", ...rest] = readParts(node.right, constants);
    return [...left.slice(0, -1), (left.at(-1) ?? "") + first, ...rest];
  }
  if (node.type === "Identifier" && constants.has(node.name)) {
    // Functions may use the same name: the last one before counts.
    const values = constants.get(node.name);
    const value = values.findLast(({ start }) => start < node.start) ?? values[0];
    return readParts(value, new Map());
  }
  return [];
}

function identify(parts) {
  return normalize(longest(parts)).slice(0, IDENTIFYING_LENGTH).trim();
}

function longest(parts) {
  return parts.reduce((best, part) => (part.length > best.length ? part : best), "");
}

/** Documents break lines, and put messages and names into backticks. */
function normalize(text) {
  return text.replaceAll(/[`\\]/g, "").replaceAll(/\s+/g, " ").trim();
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  for (const { place, parts } of await collectMessages())
    console.log(`${place}: ${parts.join("…")}`);
}
