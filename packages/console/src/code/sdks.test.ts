import { readdir, readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { isSdkId, type SdkId, SDKS } from "./sdks.ts";

const root = new URL("../../../../", import.meta.url);

/** The addresses and tokens of the examples, with a flag that has variants. */
const LIKE_EXAMPLES = {
  flag: "new-header",
  variants: ["red"],
  backendUrl: "http://127.0.0.1:4242/api",
  frontendUrl: "http://127.0.0.1:3000/proxy",
  backendToken: "the-backend-token-printed-by-npm-start",
  frontendToken: "demo-web-key",
};

/** Lines in which the result is used, which differ from the examples. */
const OWN_LINES = [
  `return isOn ? "on" : "off";`,
  `<span v-if="flagsReady">{{ isOn ? "on" : "off" }}</span>`,
  `console.log("new-header", isOn, variant);`,
  `System.out.println("new-header" + " " + isOn + " " + variant);`,
  `print("new-header", is_on, variant)`,
  `fmt.Println("new-header", isOn, variant)`,
  `Console.WriteLine("new-header" + " " + isOn + " " + variant);`,
  "<!-- App.vue -->",
];

/** Reads what the documents show; CI runs it, apart from .NET. */
async function readExamples(id: SdkId): Promise<string> {
  const page = await readFile(new URL(`docs/guides/clients/${id}.md`, root), "utf8");
  const directory = new URL(`examples/clients/${id}/`, root);
  if (id === "dotnet") return page;
  const names = await readdir(directory, { recursive: true, withFileTypes: true });
  const files = names.filter(
    (entry) => entry.isFile() && /\.(?:jsx?|vue|java|py|go|xml)$/.test(entry.name),
  );
  const texts = await Promise.all(
    files.map(({ parentPath, name }) => readFile(`${parentPath}/${name}`, "utf8")),
  );
  return [page, ...texts].join("\n");
}

const linesOf = (text: string): readonly string[] =>
  text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "" && !/^(?:\/\/|# )/.test(line));

/** Names the results of an example as the console does. */
function withOwnNames(text: string): string {
  return text
    .replaceAll("button-colour", "new-header")
    .replaceAll(/\bisNew\b/g, "isOn")
    .replaceAll(/\bis_new\b/g, "is_on")
    .replaceAll(/\bcolour\b/g, "variant");
}

test.each(Object.keys(SDKS).filter(isSdkId))(
  "the code for %s consists of lines of its example",
  async (id) => {
    const example = new Set(linesOf(withOwnNames(await readExamples(id))));
    const { install, write } = SDKS[id];
    const own = [...linesOf(install), ...linesOf(write(LIKE_EXAMPLES))];
    expect(own.filter((line) => !example.has(line) && !OWN_LINES.includes(line))).toEqual([]);
  },
);

test.each(Object.values(SDKS))(
  "the code for $label names the flag and its variants",
  ({ write }) => {
    const variants = ["a", "b", "c", "d", "e", "f", "g"];
    const withVariants = write({ ...LIKE_EXAMPLES, flag: "check.out", variants });
    expect(withVariants).toContain('"check.out"');
    expect(withVariants).toContain('"a", "b", "c", "d", "e", 2 others, or "disabled"');
    const without = write({ ...LIKE_EXAMPLES, variants: [] });
    expect(without).not.toMatch(/variant/i);
    expect(without).toContain('"new-header"');
    // Running it shows the result, and no linter complains about an unused variable.
    expect(without.match(/\b(?:isOn|is_on)\b/g)).toHaveLength(2);
  },
);
