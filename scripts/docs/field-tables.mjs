// The tables of the fields of the access file, from its JSON Schema. A document marks the place of a table with a comment that
// names an object of the schema: `<!-- fields:start keys -->`, `<!-- fields:start keys.signedContext.jwt -->`.

import { readFile } from "node:fs/promises";

const SCHEMA = new URL("../../packages/proxy/schemas/access-file.schema.json", import.meta.url);
const TABLES = /(<!-- fields:start (?<path>\S+) -->\n)(?<body>[\s\S]*?)(<!-- fields:end -->)/g;

/** Returns the document with the tables that it should have. */
export async function withFieldTables(text) {
  const schema = JSON.parse(await readFile(SCHEMA, "utf8"));
  return text.replaceAll(TABLES, (...match) => {
    const { path } = match.at(-1);
    return `${match[1]}\n${formatTable(findObject(schema, path.split(".")))}\n\n${match[4]}`;
  });
}

function findObject(schema, path) {
  return path.reduce((object, name) => {
    const member = object.properties?.[name];
    if (member === undefined) throw new Error(`The access file has no field ${path.join(".")}`);
    return member.items ?? member;
  }, schema);
}

function formatTable({ properties, required = [] }) {
  const rows = Object.entries(properties).map(([name, field]) => {
    const isRequired = required.includes(name) ? " (required)" : "";
    return `| \`${name}\`${isRequired} | ${describe(field)} |`;
  });
  return ["| Field | Meaning |", "| - | - |", ...rows].join("\n");
}

/** Few members are described in the same cell, for example those of `rate`. */
function describe({ description, properties, ...field }) {
  const initial = field.default === undefined ? "" : `. Default: \`${field.default}\``;
  const members = Object.entries(properties ?? {}).filter(([, member]) => !member.properties);
  const parts = members.map(([name, member]) => `\`${name}\`: ${describe(member)}`);
  const own = `${description}${initial}`;
  return (parts.length === 0 ? own : `${own}. ${parts.join(". ")}`).replaceAll("|", "\\|");
}
