// The tables of the settings of replaced products, from the data that the proxy itself uses. A document marks the place of
// a table with a comment that names its heading.

import { EDGE_ALIASES } from "../../packages/proxy/dist/migrate/aliases/edge-aliases.js";
import { OLD_PROXY_ALIASES } from "../../packages/proxy/dist/migrate/aliases/old-proxy-aliases.js";

const TABLE =
  /(<!-- aliases:start (?<product>edge|unleash-proxy) (?<group>[^>]+?) -->\n)(?<body>[\s\S]*?)(<!-- aliases:end -->)/g;

const ALIASES = { edge: EDGE_ALIASES, "unleash-proxy": OLD_PROXY_ALIASES };

const EFFECTS = { unneeded: "Not needed", lost: "No equivalent", refused: "Prevents the start" };

/** Returns the document with the tables that it should have. */
export function withAliasTables(text) {
  return text.replaceAll(TABLE, (...match) => {
    const { product, group } = match.at(-1);
    return `${match[1]}\n${formatTable(product, group)}\n\n${match[5]}`;
  });
}

/** Compares documents without the spaces that only align tables. */
export function isEqualText(one, other) {
  return withoutAlignment(one) === withoutAlignment(other);
}

function withoutAlignment(text) {
  return text.replaceAll(/[ \t]+/g, " ").replaceAll(/-{2,}/g, "-");
}

function formatTable(product, group) {
  const aliases = ALIASES[product].filter((alias) => alias.group === group);
  if (aliases.length === 0) throw new Error(`There is no group ${group} of ${product}`);
  const rows = [
    ["Setting", "Here"],
    ...aliases.map((alias) => [`\`${alias.name}\``, describe(alias)]),
  ];
  const widths = [0, 1].map((column) => Math.max(...rows.map((row) => row[column].length)));
  const lines = rows.map((row) => toLine(row.map((cell, column) => cell.padEnd(widths[column]))));
  return [lines[0], toLine(widths.map((width) => "-".repeat(width))), ...lines.slice(1)].join("\n");
}

function toLine(cells) {
  return `| ${cells.join(" | ")} |`;
}

function describe({ name, to, toInstead, conversion, missing, loss }) {
  if (missing !== undefined) return `${EFFECTS[missing.effect]}: ${missing.reason}`;
  if (to.includes(name)) return "The same";
  const converted = conversion === undefined ? "" : `, ${conversion.description}`;
  const instead =
    toInstead === undefined ? "" : `; ${toInstead.condition}: ${formatList(toInstead.to)}`;
  return `${formatList(to)}${converted}${instead}${loss === undefined ? "" : `; ${loss}`}`;
}

function formatList(variables) {
  return variables.map((variable) => `\`${variable}\``).join(" and ");
}
