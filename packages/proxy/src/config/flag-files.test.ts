import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { parseFlagFilesAddress } from "./flag-files-address.ts";
import { listFlagFiles } from "./flag-files.ts";

test.each([
  ["file:/etc/flags.json", { path: "/etc/flags.json", environment: undefined }],
  ["file:///etc/my%20flags.json", { path: "/etc/my flags.json", environment: undefined }],
  ["FILE:./flags.json", { path: "./flags.json", environment: undefined }],
  ["file:flags.json?environment=qa", { path: "flags.json", environment: "qa" }],
  ["http://upstream.test/api", undefined],
  ["file:", "must name a file or a directory, such as file:./flags.json"],
  ["file://host/flags.json", "must not name a host: write file:/path or file:./path"],
  ["file:./100%.json", "is not percent-encoded: write % as %25"],
  ["file:a?env=x", "has the unknown parameter env: only environment is known"],
  ["file:a?environment=*", "must name an environment without spaces, commas, `:`, `.` and `*`"],
])("parseFlagFilesAddress() parses %j", (address, expected) => {
  expect(parseFlagFilesAddress(address)).toEqual(expected);
});

function makeDirectory(names: readonly string[]): string {
  const directory = mkdtempSync(join(tmpdir(), "flags-files-"));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  for (const name of names) writeFileSync(join(directory, name), "{}");
  return directory;
}

test("listFlagFiles() lists the files of a directory, as in a ConfigMap", () => {
  const directory = makeDirectory(["README.md", ".hidden.json"]);
  mkdirSync(join(directory, "..2026", "nested.json"), { recursive: true });
  mkdirSync(join(directory, "nested.json"));
  symlinkSync("..2026", join(directory, "..data"));
  for (const name of ["production.json", "development.yml"]) {
    writeFileSync(join(directory, "..2026", name), "{}");
    symlinkSync(join("..data", name), join(directory, name));
  }
  expect(listFlagFiles(`file:${directory}`)).toEqual({
    files: [
      { path: join(directory, "development.yml"), environment: "development", directory },
      { path: join(directory, "production.json"), environment: "production", directory },
    ],
    problems: [],
  });
});

test.each([
  [[], "contains no files with flags"],
  [["a.json", "a.yaml"], "a.json has the flags of the same environment"],
  [["a.b.json"], "the name must be that of an environment"],
  [["my env.json"], "the name must be that of an environment"],
])("listFlagFiles() reports a problem for a directory with %j", (names, problem) => {
  const { problems } = listFlagFiles(`file:${makeDirectory(names)}`) ?? { problems: [] };
  expect(problems).toEqual([expect.stringContaining(problem)]);
});

test("listFlagFiles() accepts no environment for a directory, and explains a missing path", () => {
  const directory = makeDirectory(["a.json"]);
  expect(listFlagFiles(`file:${directory}?environment=a`)?.problems).toEqual([
    expect.stringContaining("?environment has no effect on a directory"),
  ]);
  expect(listFlagFiles(`file:${join(directory, "none")}`)?.problems).toEqual([
    expect.stringContaining("there is no such file"),
  ]);
});
