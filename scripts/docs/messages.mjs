// The messages that users can see in logs and responses, collected from the source. message-tables.mjs explains them.
// `node scripts/docs/messages.mjs` lists them.

import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseAst } from "rolldown/parseAst";
import { UpstreamError } from "../../packages/sdk/dist/index.js";
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

/** More folders with texts that entries may quote: what is printed without a logger. */
const OTHER_FOLDERS = ["packages/console/src"];

/** Shorter texts are names or punctuation rather than messages. */
const SHORTEST_FRAGMENT = 8;

/** The levels of the methods that log. */
const LEVELS = new Map([
  ["warn", "warning"],
  ["error", "error"],
  ["fatal", "fatal error"],
]);

/** What was read, as the sources are large. */
const parsed = new Map();
let collected;
let allTexts;

/**
 * Returns all messages, as `{ place, parts, level, status }`: the fixed parts of the text, the level at which it is logged,
 * if that is known, and the status if it is a response of the proxy.
 */
export function collectMessages() {
  collected ??= Promise.all(SOURCES.map(collectFrom)).then((lists) => lists.flat());
  return collected;
}

/** Returns all texts in the source, each in a line. */
export function readTexts() {
  allTexts ??= collectTexts();
  return allTexts;
}

async function collectTexts() {
  const folders = [...SOURCES.map(({ folder }) => folder), ...OTHER_FOLDERS];
  const lists = await Promise.all(
    folders.map(async (folder) => {
      const programs = await parseFolder(folder);
      return programs.flatMap(({ program }) => listTexts(program));
    }),
  );
  return lists.flat().join("\n");
}

function listTexts(program) {
  const texts = [];
  walk(program, (node) => {
    if (node.type === "JSXText") texts.push(node.value.replaceAll(/\s+/g, " "));
    else texts.push(...readParts(node, new Map()));
  });
  return texts;
}

/** Returns the syntax trees of the sources in a folder. */
function parseFolder(folder) {
  if (!parsed.has(folder)) parsed.set(folder, parseFiles(folder));
  return parsed.get(folder);
}

async function parseFiles(folder) {
  const entries = await readdir(join(root, folder), { recursive: true });
  const files = entries.filter(
    (path) => /\.tsx?$/.test(path) && !/\.test\.tsx?$|(?:^|\/)_/.test(path),
  );
  return Promise.all(
    files.toSorted().map(async (path) => {
      const code = await readFile(join(root, folder, path), "utf8");
      const program = parseAst(code, { lang: path.endsWith("x") ? "tsx" : "ts" });
      return { place: `${folder}/${path}`, program };
    }),
  );
}

async function collectFrom({ folder, calls, errors }) {
  const programs = await parseFolder(folder);
  return programs.flatMap(({ place, program }) =>
    findMessages(program, { calls, errors }).map((message) => ({ place, ...message })),
  );
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
      (node.type === "CallExpression" &&
        calls.includes(nameOf(node.callee)) &&
        node.callee.object?.name !== "controller") ||
      (node.type === "NewExpression" && errors.includes(nameOf(node.callee)));
    if (!creates) return;
    for (const argument of node.arguments) {
      const parts = readParts(argument, constants);
      if (longest(parts).length >= SHORTEST_FRAGMENT)
        messages.push({ parts, level: levelOf(node), status: statusOf(node) });
    }
  });
  return messages;
}

/** A failed call to the upstream is logged at the level that its code determines. */
function levelOf({ callee, arguments: [, details] }) {
  if (nameOf(callee) !== "UpstreamError") return LEVELS.get(nameOf(callee));
  const { value } = details.properties.find(({ key }) => key?.name === "code");
  const levels = new Set();
  walk(value, (node) => {
    // That of a status is known where the status is.
    if (node.type === "Literal" && node.value !== "STATUS")
      levels.add(levelOfFailure({ code: node.value }));
  });
  return levels.size === 1 ? [...levels][0] : undefined;
}

/** Returns the level at which a failed call to the upstream is logged. */
export function levelOfFailure(details) {
  return new UpstreamError("", details).isTransient ? "warning" : "error";
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
  // A logged error: its message is the text.
  if (node.type === "NewExpression" && nameOf(node.callee)?.endsWith("Error")) {
    return node.arguments.length === 0 ? [] : readParts(node.arguments[0], constants);
  }
  if (node.type === "Identifier" && constants.has(node.name)) {
    // Functions may use the same name: the last one before counts.
    const values = constants.get(node.name);
    const value = values.findLast(({ start }) => start < node.start) ?? values[0];
    return readParts(value, new Map());
  }
  return [];
}

function longest(parts) {
  return parts.reduce((best, part) => (part.length > best.length ? part : best), "");
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  for (const { place, parts } of await collectMessages())
    console.log(`${place}: ${parts.join("…")}`);
}
