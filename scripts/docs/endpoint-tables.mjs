// The tables of the endpoints of the proxy, from its OpenAPI document. A document marks their place with a comment.

import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { start } from "../../packages/proxy/dist/index.js";

const TABLES = /(<!-- endpoints:start -->\n)(?<body>[\s\S]*?)(<!-- endpoints:end -->)/g;

const KEYS = new Map([
  ["clientKey", "client"],
  ["bearer", "client"],
  ["apiKey", "client"],
  ["serverToken", "server"],
]);

/** Paths under which others respond too: the text says so. */
const REPEATED =
  /^\/(?:api\/proxy|proxy\/client\/(?:features|delta|streaming)|proxy\/all\/client|api\/frontend\/all\/client)(?:\/|$)/;

/** Returns the document with the tables that it should have. */
export async function withEndpointTables(text) {
  if (!text.includes("<!-- endpoints:start -->")) return text;
  const tables = formatTables(await describeApi());
  return text.replaceAll(TABLES, (_, first, body, end) => `${first}\n${tables}\n\n${end}`);
}

/** Returns the OpenAPI document of a proxy with all endpoints. */
async function describeApi() {
  const directory = await mkdtemp(join(tmpdir(), "flags-docs-"));
  const file = join(directory, "flags.json");
  await writeFile(file, JSON.stringify({ version: 2, features: [] }));
  const proxy = await start({
    flagsUrl: `file:${file}`,
    clientKeys: ["key-of-the-documentation"],
    host: "127.0.0.1",
    port: 0,
    enableOAS: true,
    enableAllEndpoint: true,
    enableExplain: true,
  });
  try {
    for (;;) {
      const response = await fetch(`${proxy.url}/docs/openapi.json`);
      if (response.ok) return await response.json();
      await delay(10);
    }
  } finally {
    await proxy.close();
    await rm(directory, { recursive: true });
  }
}

function formatTables({ paths }) {
  const tags = new Map();
  for (const [path, operations] of Object.entries(paths)) {
    if (REPEATED.test(path)) continue;
    for (const [method, operation] of Object.entries(operations)) {
      const [tag] = operation.tags;
      tags.set(tag, [...(tags.get(tag) ?? []), { method: method.toUpperCase(), path, operation }]);
    }
  }
  return [...tags].map(([tag, members]) => `### ${tag}\n\n${formatTable(members)}`).join("\n\n");
}

function formatTable(members) {
  const rows = members.map(
    ({ method, path, operation }) =>
      `| \`${method} ${path}\` | ${describeKeys(operation)}${operation.summary} |`,
  );
  return ["| Endpoint | Key, and what it does |", "| - | - |", ...rows].join("\n");
}

function describeKeys({ security = [] }) {
  const names = security.flatMap(Object.keys).map((name) => KEYS.get(name) ?? name);
  return names.length === 0 ? "" : `_${[...new Set(names)].join(" or ")} key_: `;
}
