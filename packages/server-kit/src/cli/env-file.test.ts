import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { loadEnvFiles } from "./env-file.ts";

function write(content: string | Uint8Array): string {
  const directory = mkdtempSync(join(tmpdir(), "flags-env-"));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  const path = join(directory, "settings.env");
  writeFileSync(path, content);
  return path;
}

function load(content: string, environment: Record<string, string> = {}) {
  const result: Record<string, string | undefined> = { ...environment };
  loadEnvFiles([write(content)], result);
  return result;
}

test("loadEnvFiles() reads what Node reads: comments, quotes, several lines, export, CRLF", () => {
  const text = `\uFEFF# comment\r
A=1\r
  export B = two words  # comment
\r
C="quoted # no comment"
D='single'
E="first
second"
F=it's
EMPTY=
`;
  expect(load(text)).toEqual({
    A: "1",
    B: "two words",
    C: "quoted # no comment",
    D: "single",
    E: "first\nsecond",
    F: "it's",
    EMPTY: "",
  });
});

test("loadEnvFiles() prefers the environment to files, and a later file to an earlier one", () => {
  const environment: Record<string, string | undefined> = { A: "environment", B: "" };
  loadEnvFiles([write("A=1\nB=1\nC=1"), write("A=2\nC=2")], environment);
  expect(environment).toEqual({ A: "environment", B: "1", C: "2" });
});

test.each([
  ["yaml: 1", 1],
  ["A=1\n# c\n\nno assignment, token-abc", 4],
  ['A="1\n2"\nB', 3],
  ["1A=2", 1],
  ["A-B=2", 1],
])("loadEnvFiles() rejects %j, and names line %d without showing it", (text, line) => {
  const fail = (): unknown => load(text);
  expect(fail).toThrow(/^Cannot use the env file ".*settings\.env": line \d+ is neither/);
  expect(fail).toThrow(`line ${line} `);
  expect(fail).not.toThrow("token-abc");
});

test("loadEnvFiles() reports all files that cannot be read, and changes nothing", () => {
  const environment = {};
  const binary = write(Uint8Array.of(65, 61, 255));
  const large = write(`A=${"x".repeat(1_100_000)}`);
  const paths = ["/none/a.env", tmpdir(), binary, large, write("A=1")];
  expect(() => loadEnvFiles(paths, environment)).toThrow(
    [
      'Cannot read the env file "/none/a.env": there is no such file',
      `Cannot read the env file ${JSON.stringify(tmpdir())}: it is a directory`,
      `Cannot read the env file ${JSON.stringify(binary)}: it is not text in UTF-8`,
      `Cannot read the env file ${JSON.stringify(large)}: it is larger than 1024 KiB`,
    ].join("\n"),
  );
  expect(environment).toEqual({});
});

test("loadEnvFiles() rejects variables that would have no effect, unless the environment has them", () => {
  const text = "NODE_EXTRA_CA_CERTS=/ca.pem\nA=1";
  expect(() => load(text)).toThrow("NODE_EXTRA_CA_CERTS has no effect in an env file");
  expect(load(text, { NODE_EXTRA_CA_CERTS: "/ca.pem" })).toHaveProperty("A", "1");
});

// In quadratic time, this would exceed the time limit of a test many times.
test("loadEnvFiles() finds invalid lines in linear time", () => {
  expect(() => load(`${'A="\n'.repeat(100_000)}!`)).toThrow("line");
  expect(() => load(`${" ".repeat(900_000)}!`)).toThrow("line 1 ");
});
