import fc from "fast-check";
import { expect, test } from "vitest";
import { HttpError } from "../errors.ts";
import { parseQueryContext } from "./parse-query.ts";
import { STANDARD_FIELDS } from "./sent-context.ts";

const text = fc.string({ unit: "binary" }).filter((value) => !/\p{Cs}/u.test(value));
const properties = fc.dictionary(
  text.filter((name) => name !== "" && !name.includes("][")),
  text,
  { noNullPrototype: false },
);

test("parseQueryContext() finds what URLSearchParams wrote, whatever the names and values", () => {
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

test("parseQueryContext() answers or throws a 400, and never anything else", () => {
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
  "parseQueryContext() finds nothing in %s",
  (url) => {
    const { fields, properties: found } = parseQueryContext(url);
    expect(fields).toEqual({});
    expect(Object.keys(found)).toEqual([]);
  },
);

test("parseQueryContext() leaves everything after the first = and ? to the value", () => {
  expect(parseQueryContext("/proxy?userId=a=b?c").fields).toEqual({ userId: "a=b?c" });
});
