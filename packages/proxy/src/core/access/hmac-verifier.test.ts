import fc from "fast-check";
import { expect, test } from "vitest";
import { anyCharacter } from "../../../../../scripts/any-character.ts";
import { toMessage } from "./hmac-verifier.ts";

test("toMessage() returns the documented message, whatever the order of the fields", () => {
  const values = [
    ["userId", "42"],
    ["Äfield", "é"],
    ["plan", "gold"],
  ] as const;
  expect(toMessage(new Map(values.filter(([name]) => name !== "Äfield")))).toBe(
    "plan:4:gold\nuserId:2:42\n",
  );
  expect(toMessage(new Map([["userId", "é"]]))).toBe("userId:2:é\n");
  expect(toMessage(new Map(values))).toBe(toMessage(new Map(values.toReversed())));
});

test("toMessage() returns different messages for different values", () => {
  const name = fc.constantFrom("userId", "plan", "a", "b");
  const value = fc.oneof(
    fc.string({
      minLength: 1,
      maxLength: 12,
      unit: fc.constantFrom("a", ":", "\n", "1", "4", "é"),
    }),
    fc.string({ minLength: 1, unit: anyCharacter }),
  );
  const values = fc.array(fc.tuple(name, value), { maxLength: 4 }).map((list) => new Map(list));
  const toKey = (map: ReadonlyMap<string, string>) => JSON.stringify([...map].toSorted());
  fc.assert(
    fc.property(values, values, (one, other) => {
      const [first, second] = [toMessage(one), toMessage(other)];
      if (first === undefined || second === undefined) return;
      expect(Buffer.from(first).equals(Buffer.from(second))).toBe(toKey(one) === toKey(other));
    }),
  );
});

test("toMessage() returns undefined for half a surrogate pair, whose bytes equal those of another string", () => {
  expect(toMessage(new Map([["userId", "a\uD800"]]))).toBeUndefined();
  expect(toMessage(new Map([["userId", "a\u{1F600}"]]))).toBeDefined();
});
