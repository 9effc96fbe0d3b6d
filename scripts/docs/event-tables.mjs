// The tables of events, from the words and groups that the programs use. A document marks their place with a comment.

import { EVENT_WORDS } from "../../packages/admin/dist/event-words/event-words.js";
import { EVENT_GROUP_NAMES, EVENT_GROUPS } from "../../packages/admin/dist/storage/event-groups.js";

const TABLES = /(<!-- events:start -->\n)(?<body>[\s\S]*?)(<!-- events:end -->)/g;

/** Returns the document with the tables that it should have. */
export function withEventTables(text) {
  const sections = [
    ...EVENT_GROUP_NAMES.map((name) => [toTitle(name), name]),
    ["Without notifications", "none"],
  ];
  const tables = sections
    .map(([title, name]) => `## ${title}\n\n${formatTable(name)}`)
    .join("\n\n");
  return text.replaceAll(TABLES, (_, start, body, end) => `${start}\n${tables}\n\n${end}`);
}

function formatTable(group) {
  const types = Object.keys(EVENT_WORDS).filter((type) => EVENT_GROUPS[type] === group);
  const rows = types.map((type) => `| \`${type}\` | ${EVENT_WORDS[type].label} |`);
  return ["| Type | What happened |", "| - | - |", ...rows].join("\n");
}

function toTitle(text) {
  return text[0].toUpperCase() + text.slice(1);
}
