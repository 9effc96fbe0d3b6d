// The tables of metrics, from the names and descriptions in the source. A document marks the place of a table with a comment
// that names its group: `<!-- metrics:start Usage -->`.

import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseAst } from "rolldown/parseAst";
import { walk } from "./walk.mjs";

const packages = fileURLToPath(new URL("../../packages", import.meta.url));

const TABLE = /(<!-- metrics:start (?<group>[^>]+?) -->\n)(?<body>[\s\S]*?)(<!-- metrics:end -->)/g;

const SERVER = ["server-kit/src/http/metrics.ts"];

/** The files that define the metrics of each group, and their prefix. */
const GROUPS = {
  Flags: ["flags_proxy", "proxy/src/metrics/source-metrics.ts"],
  "Requests and connections": ["flags_proxy", ...SERVER, "proxy/src/metrics/metrics.ts"],
  Streams: ["flags_proxy", "proxy/src/metrics/stream-metrics.ts"],
  Keys: ["flags_proxy", "proxy/src/metrics/key-metrics.ts"],
  Usage: ["flags_proxy", "proxy/src/metrics/usage-metrics.ts"],
  "Stores and sharing": ["flags_proxy", "proxy/src/metrics/store-metrics.ts"],
  Workers: ["flags_proxy", "proxy/src/metrics/worker-metrics.ts"],
  "flags-admin": ["flags_admin", "admin/src/monitoring/metrics.ts", "admin/src/app.ts", ...SERVER],
};

/** Returns the document with the tables that it should have. */
export async function withMetricTables(text) {
  const tables = new Map();
  for (const { groups } of text.matchAll(TABLE)) {
    tables.set(groups.group, await formatTable(groups.group));
  }
  return text.replaceAll(TABLE, (...match) => {
    const { group } = match.at(-1);
    return `${match[1]}\n${tables.get(group)}\n\n${match[4]}`;
  });
}

async function formatTable(group) {
  if (GROUPS[group] === undefined) throw new Error(`There is no group ${group} of metrics`);
  const [prefix, ...files] = GROUPS[group];
  const lists = await Promise.all(files.map((file) => readMetrics(file, prefix)));
  const rows = lists.flat().map(({ name, help, labels }) => {
    const by = labels.map((label) => `\`${label}\``).join(", ");
    return [`\`${name}\``, by === "" ? help : `${help}. Labels: ${by}`];
  });
  return [["Metric", "Meaning"], ["-", "-"], ...rows]
    .map((cells) => `| ${cells.join(" | ")} |`)
    .join("\n");
}

async function readMetrics(file, prefix) {
  const program = parseAst(await readFile(join(packages, file), "utf8"), { lang: "ts" });
  const constants = new Map();
  const metrics = [];
  walk(program, (node) => {
    if (node.type === "VariableDeclarator" && node.id.name && node.init)
      constants.set(node.id.name, node.init);
  });
  const read = (node) => readText(node, constants);
  const resolve = (node) => constants.get(node?.name) ?? node;
  walk(program, (node) => {
    if (node.type === "ObjectExpression") add(fromObject(node, read, resolve));
    if (node.type === "CallExpression") add(...fromCall(node, read, resolve));
  });
  return metrics;

  function add(...found) {
    for (const metric of found) {
      if (metric === undefined) continue;
      // The names of the Unleash proxy have no prefix.
      const isComplete = metric.name.startsWith(prefix) || metric.name.startsWith("last_metrics_");
      metrics.push({ ...metric, name: isComplete ? metric.name : `${prefix}_${metric.name}` });
    }
  }
}

/** A metric as `{ name, help, labelNames }`, if its name is fixed apart from the prefix. */
function fromObject({ properties }, read, resolve) {
  const members = new Map(properties.map((property) => [property.key?.name, property.value]));
  if (!members.has("name") || !members.has("help")) return undefined;
  const [name, help] = [read(members.get("name")), read(members.get("help"))];
  if (!/^[a-z]+(?:_[a-z]+)*$/.test(name ?? "") || help === undefined) return undefined;
  return {
    name,
    help: help.replace("\0", "the service"),
    labels: readList(resolve(members.get("labelNames")), read),
  };
}

/** A metric as `metrics.gauge(name, help, labels)`, and the streams that a program closes. */
function fromCall({ callee, arguments: values }, read, resolve) {
  if (callee.name === "observeClosedStreams") return [closedStreams(read(values[1]))];
  const index = values.findIndex((value) => /^[a-z]+(?:_[a-z]+)*$/.test(read(value) ?? ""));
  const help = values[index + 1] && read(values[index + 1]);
  if (index === -1 || !/^(?:[A-Z]|\d )/.test(help ?? "")) return [];
  const [name, method] = [read(values[index]), callee.property?.name];
  const metric = { name, help, labels: readList(resolve(values[index + 2]), read) };
  return method === "observeStreams" ? [metric, closedStreams(name)] : [metric];
}

function closedStreams(name) {
  if (name === undefined || name.includes("\0")) return undefined;
  return {
    name: `${name}_closed_total`,
    help: "Streams that the service closed",
    labels: ["reason"],
  };
}

function readList(node, read) {
  return node?.type === "ArrayExpression" ? node.elements.map(read).filter(Boolean) : [];
}

/** Returns a text in the source, without the prefix `${prefix}_`; undefined if it has other variable parts. */
function readText(node, constants) {
  if (node.type === "Literal") return typeof node.value === "string" ? node.value : undefined;
  if (node.type === "Identifier" && constants.has(node.name)) {
    return readText(constants.get(node.name), new Map());
  }
  if (node.type === "BinaryExpression") {
    const [left, right] = [readText(node.left, constants), readText(node.right, constants)];
    return left === undefined || right === undefined ? undefined : left + right;
  }
  if (node.type !== "TemplateLiteral") return undefined;
  return node.quasis
    .map(({ value }, index) => value.cooked + (node.expressions[index] ? insert(node, index) : ""))
    .join("")
    .replace(/^\0_/, "");

  function insert({ expressions }, index) {
    return readText(expressions[index], constants) ?? "\0";
  }
}
