import { describe, expect, test } from "vitest";
import { DocumentError } from "./json.ts";
import { parseDocument } from "./parse-document.ts";

const flag = { name: "flag", enabled: true, strategies: [{ name: "default" }] };

describe("parseDocument()", () => {
  test.each([
    [null, "A flag document must be an object: found null"],
    ["text", "A flag document must be an object: found a string"],
    [[], "A flag document must be an object: found a list"],
    [{}, "features must be a list: found nothing"],
    [{ features: {} }, "features must be a list: found an object"],
    [{ features: [flag, null] }, "features[1] must be an object: found null"],
    [{ features: [{}] }, "features[0].name must be a string: found nothing"],
    [{ features: [], segments: 1 }, "segments must be a list: found a number"],
    [{ features: [], segments: [1] }, "segments[0] must be an object: found a number"],
  ])("rejects %j", (input, message) => {
    expect(() => parseDocument(input)).toThrow(new DocumentError(message));
  });

  test("parses a valid document without diagnostics", () => {
    const { features, segments, diagnostics } = parseDocument({
      version: 2,
      features: [flag],
      segments: [{ id: 1, constraints: [] }],
    });
    expect(features.map(({ name }) => name)).toEqual(["flag"]);
    expect(segments.has(1)).toBe(true);
    expect(diagnostics).toEqual([]);
    expect(parseDocument({ features: [], segments: null }).segments.size).toBe(0);
  });

  test("keeps the last of two flags with the same name, in the position of the first", () => {
    const { features, diagnostics } = parseDocument({
      features: [flag, { ...flag, name: "other" }, { ...flag, enabled: false }],
    });
    expect(features.map(({ name, enabled }) => [name, enabled])).toEqual([
      ["flag", false],
      ["other", true],
    ]);
    expect(diagnostics).toEqual([
      {
        subject: 'flag "flag"',
        message: "The document contains this flag twice: the last entry wins",
      },
    ]);
  });

  test.each([
    [{ enabled: "yes" }, "enabled must be true or false, found a string: treated as true"],
    [{ enabled: undefined }, "enabled must be true or false, found nothing: treated as false"],
    [
      { impressionData: "no" },
      "impressionData must be true or false, found a string: treated as true",
    ],
    [{ stale: 0 }, "stale must be true or false, found a number: treated as false"],
    [
      { strategies: [{ name: "default", disabled: true }] },
      "disabled of a strategy is ignored: the strategy is evaluated",
    ],
    [
      { strategies: [{ name: "default", constraints: [{ operator: "IN", inverted: "no" }] }] },
      "inverted must be true or false, found a string: treated as true",
    ],
    [
      { strategies: [{ name: "default", constraints: [{ operator: "IN", caseInsensitive: 1 }] }] },
      "caseInsensitive must be true or false, found a number: treated as true",
    ],
    [
      { dependencies: [{ feature: "parent", enabled: "off" }] },
      "enabled of a dependency must be true or false, found a string: treated as true",
    ],
    [{ strategies: "all" }, "strategies must be a list, found a string: the flag is off"],
    [{ strategies: [7] }, "A strategy must be an object, found a number: it never matches"],
    [
      { strategies: [{ name: "default", segments: 1 }] },
      "segments must be a list of ids, found a number: the strategy never matches",
    ],
    [
      { strategies: [{ name: "default", constraints: {} }] },
      "constraints must be a list, found an object: they are never satisfied",
    ],
    [{ variants: [null] }, "A variant must be an object, found null: it is ignored"],
    [{ variants: [{ weight: 1 }] }, "A variant must have a name, found nothing: it is ignored"],
    [
      { variants: [{ name: "v", weight: 1, payload: { value: "x" } }] },
      "The type of a payload must be a string, found nothing: treated as string",
    ],
    [{ dependencies: "parent" }, "dependencies must be a list, found a string: the flag is off"],
  ])("reports how it handles %j", (parts, message) => {
    const { diagnostics } = parseDocument({ features: [{ ...flag, ...parts }] });
    expect(diagnostics).toEqual([{ subject: 'flag "flag"', message }]);
  });

  test("accepts booleans that are missing or null", () => {
    const missing = { stale: null, impressionData: undefined };
    const constraints = [{ operator: "IN", inverted: null }];
    const strategies = [{ name: "default", disabled: false, constraints }];
    const dependencies = [{ feature: "parent", enabled: null }];
    const parts = { ...missing, strategies, dependencies };
    expect(parseDocument({ features: [{ ...flag, ...parts }] }).diagnostics).toEqual([]);
  });

  test.each([
    { variants: [{ name: "v", weight: 1, payload: { type: { toString: 1 }, value: "a" } }] },
    { dependencies: [{ feature: { toString: 1 } }] },
  ])("accepts an object that cannot be converted to text: %j", (parts) => {
    const { features } = parseDocument({ features: [flag, { ...flag, name: "other", ...parts }] });
    expect(features.map(({ name }) => name)).toEqual(["flag", "other"]);
  });

  test("converts the type and the value of a payload to strings", () => {
    const payloadOf = (payload: unknown): unknown =>
      parseDocument({ features: [{ ...flag, variants: [{ name: "v", weight: 1, payload }] }] })
        .features[0]?.variants[0]?.payload;
    expect(payloadOf({ type: "string", value: "a" })).toEqual({ type: "string", value: "a" });
    expect(payloadOf({ type: "json", value: { a: 1 } })).toEqual({
      type: "json",
      value: '{"a":1}',
    });
    expect(payloadOf({ type: "number", value: 5 })).toEqual({ type: "number", value: "5" });
    expect(payloadOf({ value: "a" })).toEqual({ type: "string", value: "a" });
    expect(payloadOf({ type: [], value: "a" })).toEqual({ type: "string", value: "a" });
    expect(payloadOf(null)).toBeUndefined();
  });
});
