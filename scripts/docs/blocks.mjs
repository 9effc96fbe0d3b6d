// The command blocks of the documents. The first line of a block says what happens to it:
//
//   ```sh run               runs in CI, after the previous ones of the page; a failed command is an error
//   ```sh run background    starts a server, which runs until the end of the page
//   ```sh example           cannot run in CI: it has placeholders, or installs or needs something
//   ```json output          what the block before it prints; spaces do not matter, … stands for any text

import { readdir, readFile } from "node:fs/promises";
import { join, relative } from "node:path";

const FENCE = /^(?<indent> *)```(?<info>[^\n`]*)\n(?<body>[\s\S]*?)^\k<indent>```$/gm;
const SHELLS = new Set(["sh", "bash", "shell", "console", "zsh"]);
const SHELL_MARKS = ["run", "run background", "example"];

/** Returns the documents whose commands are checked: README.md and docs/. */
export async function readDocuments(root) {
  const entries = await readdir(join(root, "docs"), { recursive: true });
  const pages = entries
    .filter(
      (path) => path.endsWith(".md") && !/(?:^|[/\\])(?:node_modules|\.vitepress)[/\\]/.test(path),
    )
    .map((path) => join(root, "docs", path));
  return Promise.all(
    [join(root, "README.md"), ...pages.toSorted()].map(async (path) => ({
      name: relative(root, path),
      text: await readFile(path, "utf8"),
    })),
  );
}

/** Returns the fenced blocks of a document, with their line numbers. */
export function readBlocks({ name, text }) {
  return [...text.matchAll(FENCE)].map(({ index, groups }) => {
    const [language = "", ...mark] = groups.info.trim().split(/\s+/);
    const line = text.slice(0, index).split("\n").length;
    return { place: `${name}:${line}`, language, mark: mark.join(" "), body: groups.body };
  });
}

/** Returns the blocks whose marks are missing or unknown, as messages. */
export function findBadMarks(document) {
  const blocks = readBlocks(document);
  return blocks.flatMap(({ place, language, mark }, index) => {
    if (SHELLS.has(language)) {
      if (language === "sh" && SHELL_MARKS.includes(mark)) return [];
      const marks = SHELL_MARKS.map((word) => `"sh ${word}"`).join(", ");
      return [
        `${place} has a block of commands marked "${`${language} ${mark}`.trim()}": use ${marks}`,
      ];
    }
    if (mark === "") return [];
    if (mark === "output" && blocks[index - 1]?.mark === "run") return [];
    return [`${place} has the unknown mark "${mark}", or an output that follows no command`];
  });
}

/** Throws unless the output has the documented form: without spaces, and with any text in the place of each `…`. */
export function compareOutput(output, documented, place) {
  const actual = output.replaceAll(/\s+/g, "");
  const parts = documented.replaceAll(/\s+/g, "").split("…");
  let position = 0;
  for (const [index, part] of parts.entries()) {
    const isLast = index === parts.length - 1;
    const found = isLast ? lastPosition(actual, part) : actual.indexOf(part, position);
    if (found < position || (index === 0 && found !== 0)) {
      throw new Error(`${place}: the output does not contain ${part}\n${output}`);
    }
    position = found + part.length;
  }
  if (position !== actual.length && parts.at(-1) !== "") {
    throw new Error(`${place}: the output continues after the documented one\n${output}`);
  }
}

function lastPosition(text, end) {
  return text.endsWith(end) ? text.length - end.length : -1;
}
