import { runToEnd } from "flags-engine";
import { describe, expect, it } from "vitest";
import { readJson } from "./read-json.ts";

describe("readJson()", () => {
  it("parses JSON", () => {
    expect(runToEnd(readJson('{"features":[1]}'))).toEqual({ features: [1] });
  });

  it("throws the error of JSON.parse", () => {
    expect(() => runToEnd(readJson('{"features":[1,]}'))).toThrow(SyntaxError);
  });

  it("rejects a document with more than a million lists and objects before it parses", () => {
    expect(() => runToEnd(readJson("[],".repeat(1_000_001)))).toThrow(
      "There are more than 1000000 lists and objects",
    );
  });

  it("checks the nesting before it parses", () => {
    expect(() => runToEnd(readJson("[".repeat(200)))).toThrow("nested");
  });
});
