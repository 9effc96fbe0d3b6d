import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { basename } from "node:path";
import { expect, test } from "vitest";

const ROOT = new URL("..", import.meta.url);

test("ARCHITECTURE.md lists the files that handle a GET /proxy, which are at most 39", () => {
  const output = execFileSync(process.execPath, ["scripts/list-request-files.mjs"], {
    cwd: ROOT,
    encoding: "utf8",
  });
  const passed = [...output.matchAll(/^(\S+\.ts):/gm)].map(([, file = ""]) => basename(file));
  const document = readFileSync(new URL("ARCHITECTURE.md", ROOT), "utf8");
  const [, section = ""] = /A `GET \/proxy` for a new user([\s\S]*?)\n## /.exec(document) ?? [];
  const listed = [...section.matchAll(/([\w-]+\.ts)`/g)].map(([, file = ""]) => file);
  expect(listed.toSorted()).toEqual(passed.toSorted());
  expect(passed.length).toBeLessThanOrEqual(39);
});
