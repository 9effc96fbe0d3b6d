import { readFileSync } from "node:fs";
import { expect, test } from "vitest";

const IMPORT = /^(?:import|export)\s+(?!type\b)[^;]*?from "([^"]+)";$/gms;
const ALLOWED = ["node:crypto", "@fastify/accept-negotiator", "ip-address", "lru-cache"];

/** Returns what a file imports when it runs, and the files that it imports, and so on. */
function importsOf(file: URL, seen = new Set<string>()): ReadonlySet<string> {
  for (const [, specifier = ""] of readFileSync(file, "utf8").matchAll(IMPORT)) {
    if (!specifier.startsWith(".")) seen.add(specifier);
    else if (!seen.has(new URL(specifier, file).href)) {
      seen.add(new URL(specifier, file).href);
      importsOf(new URL(specifier, file), seen);
    }
  }
  return seen;
}

test.each(["neutral", "settings"])("the entry %s imports only what all runtimes have", (entry) => {
  const imports = [...importsOf(new URL(`${entry}.ts`, import.meta.url))];
  expect(imports.length).toBeGreaterThan(5);
  const others = imports.filter((specifier) => !specifier.startsWith("file:"));
  expect(others.filter((specifier) => !ALLOWED.includes(specifier))).toEqual([]);
});
