import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";

/** What the core may use: of Node only what other runtimes have too, and packages that run there. */
const ALLOWED = [
  "node:crypto",
  "@fastify/accept-negotiator",
  "ip-address",
  "lru-cache",
  "re2js",
  "semver/functions/parse.js",
  "typebox",
  "typebox/compile",
];

const OWN: Readonly<Record<string, URL>> = {
  "flags-engine": new URL("../../../engine/src/index.ts", import.meta.url),
  "flags-sdk/neutral": new URL("../../../sdk/src/neutral.ts", import.meta.url),
  "flags-server-kit/neutral": new URL("../../../server-kit/src/neutral.ts", import.meta.url),
};

const IMPORT = /^(?:import|export)\s+(?!type\b)(?<names>[^;]*?)from "(?<specifier>[^"]+)";$/gms;

/** Whether an import exists only in types. */
function isErased(names: string): boolean {
  const [, list] = /^\{(.*)\}\s*$/s.exec(names) ?? [];
  return list !== undefined && list.split(",").every((name) => /^\s*(?:type\s|$)/.test(name));
}

const CORE = readdirSync(import.meta.dirname, { encoding: "utf8", recursive: true });
const FILES = [...CORE, "../fetch/fetch-adapter.ts"]
  .filter((name) => name.endsWith(".ts") && !name.endsWith(".test.ts"))
  .map((name) => new URL(name, import.meta.url));

/** Returns the files that run when the core is loaded, and the other modules that each imports. */
function followImports(files: readonly URL[], seen = new Map<string, string[]>()) {
  for (const file of files) {
    if (seen.has(file.pathname)) continue;
    const others: string[] = [];
    seen.set(file.pathname, others);
    for (const { groups } of readFileSync(file, "utf8").matchAll(IMPORT)) {
      const { names = "", specifier = "" } = groups ?? {};
      if (isErased(names)) continue;
      const own = specifier.startsWith(".") ? new URL(specifier, file) : OWN[specifier];
      if (own === undefined) others.push(specifier);
      else followImports([own], seen);
    }
  }
  return seen;
}

test("the core and its adapter for the Fetch API import nothing that only Node has", () => {
  const files = followImports(FILES);
  expect(files.size).toBeGreaterThan(FILES.length + 20);
  const foreign = [...files].flatMap(([file, others]) =>
    others.filter((name) => !ALLOWED.includes(name)).map((name) => `${file} imports ${name}`),
  );
  expect(foreign).toEqual([]);
});

/** A statement at the top of a module that draws random numbers, reads the clock, or starts something that waits. */
const AT_IMPORT =
  /^(?:export )?(?:(?:const|let) (?!.*=>).*|void )?\b(?:random\w*|Date\.now|performance\.now|new Date|set(?:Timeout|Interval|Immediate)|fetch)\(/gm;

test("loading the core does nothing that runtimes allow only while a request is handled", () => {
  const found = [...followImports(FILES).keys()].flatMap((file) =>
    (readFileSync(file, "utf8").match(AT_IMPORT) ?? []).map((line) => `${file}: ${line}`),
  );
  expect(found).toEqual([]);
});
