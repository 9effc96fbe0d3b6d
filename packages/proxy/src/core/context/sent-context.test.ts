import fc from "fast-check";
import { expect, test } from "vitest";
import { anyCharacter } from "../../../../../scripts/any-character.ts";
import { HttpError } from "../http/errors.ts";
import { parseQueryContext, STANDARD_FIELDS } from "./sent-context.ts";

const text = fc.string({ unit: anyCharacter }).filter((value) => !/\p{Cs}/u.test(value));
const properties = fc.dictionary(
  text.filter((name) => name !== "" && !name.includes("][")),
  text,
  { noNullPrototype: false },
);

test("parseQueryContext() reads what URLSearchParams writes, for any names and values", () => {
  const fields = fc.record(Object.fromEntries(STANDARD_FIELDS.map((name) => [name, text])), {
    requiredKeys: [],
  });
  fc.assert(
    fc.property(fields, properties, (sentFields, sentProperties) => {
      const query = new URLSearchParams();
      for (const [name, value] of Object.entries(sentFields)) query.append(name, String(value));
      for (const [name, value] of Object.entries(sentProperties)) {
        query.append(`properties[${name}]`, value);
      }
      const context = parseQueryContext(`/proxy?${query}`);
      expect(context.fields).toEqual(sentFields);
      expect(Object.entries(context.properties)).toEqual(Object.entries(sentProperties));
    }),
  );
});

test("parseQueryContext() either returns or throws a 400", () => {
  fc.assert(
    fc.property(fc.string(), (query) => {
      try {
        parseQueryContext(`/proxy?${query}`);
      } catch (error) {
        expect(error).toBeInstanceOf(HttpError);
        expect(error).toHaveProperty("statusCode", 400);
      }
    }),
  );
});

test.each(["/proxy", "/proxy?", "/proxy?&&", "/proxy?=x"])(
  "parseQueryContext() of %s is empty",
  (url) => {
    const { fields, properties: sentProperties } = parseQueryContext(url);
    expect(fields).toEqual({});
    expect(Object.keys(sentProperties)).toEqual([]);
  },
);

test("parseQueryContext() reads everything after the first = as the value", () => {
  expect(parseQueryContext("/proxy?userId=a=b?c").fields).toEqual({ userId: "a=b?c" });
});
