import fc from "fast-check";
import { expect, test } from "vitest";
import { serializeForScript } from "./serialize-for-script.ts";

const attacks = fc.constantFrom(
  "</script>",
  "</SCRIPT ",
  "<!--",
  "<script>",
  "\u2028",
  "\u2029",
  "]]>",
);

test("serializeForScript() contains nothing that ends a script, and parses to the same value", () => {
  const texts = fc.array(fc.oneof(attacks, fc.string())).map((parts) => parts.join(""));
  fc.assert(
    fc.property(fc.dictionary(texts, texts, { noNullPrototype: true }), (value) => {
      const text = serializeForScript(value);
      expect(text).not.toMatch(/[<\u2028\u2029]/);
      expect(JSON.parse(text)).toEqual(value);
    }),
  );
});

test.each([undefined, () => 1, Symbol("a")])("serializeForScript() rejects %s", (value) => {
  expect(() => serializeForScript(value)).toThrow(TypeError);
});
