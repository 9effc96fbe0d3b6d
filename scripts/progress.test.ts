import { PassThrough } from "node:stream";
import { expect, test } from "vitest";
import { formatDuration, printLine, showPhase } from "./progress.mjs";

test.each([
  [1649, "1.6 s"],
  [58_400, "58 s"],
  [125_000, "2 min 5 s"],
])("formatDuration(%i) is %s", (milliseconds, text) => {
  expect(formatDuration(milliseconds)).toBe(text);
});

test.each([
  ["a file", false, /^Building …\nBuilding: done in \d+\.\d s\n$/],
  // eslint-disable-next-line no-control-regex -- the line is replaced and its rest erased.
  ["a terminal", true, /^\rBuilding … \d+\.\d s\rBuilding: done in \d+\.\d s\u001b\[K\n$/],
])("showPhase() writes to %s", async (_title, isTTY, pattern) => {
  const output = Object.assign(new PassThrough(), { isTTY });
  const result = await showPhase("Building", () => Promise.resolve(7), output);
  expect(result).toBe(7);
  expect(String(output.read())).toMatch(isTTY && process.env["TERM"] === "dumb" ? /done/ : pattern);
});

test("showPhase() reports a failure and throws it", async () => {
  const output = new PassThrough();
  const failing = showPhase("Building", () => Promise.reject(new Error("no disk")), output);
  await expect(failing).rejects.toThrow("no disk");
  expect(String(output.read())).toContain("Building: failed after");
});

test("printLine() replaces the line of the phase in a terminal", () => {
  const output = Object.assign(new PassThrough(), { isTTY: true });
  printLine("[admin] Creating the database", output);
  const isDumb = process.env["TERM"] === "dumb";
  expect(String(output.read())).toBe(
    isDumb ? "[admin] Creating the database\n" : "\r[admin] Creating the database\u001b[K\n",
  );
});
