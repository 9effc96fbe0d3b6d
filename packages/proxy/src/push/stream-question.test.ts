import { expect, test } from "vitest";
import { toPlainContext, withSessionId } from "./stream-question.ts";

test("toPlainContext() keeps what rules can read, in a form that survives JSON", () => {
  const properties = JSON.parse('{"__proto__":"p","n":null,"list":["a","b"]}') as object;
  const plain = toPlainContext({
    userId: 7,
    sessionId: undefined,
    currentTime: new Date("2026-01-31T12:00:00Z"),
    odd: Number.NaN,
    big: 12n,
    isOn: false,
    bad: new Date(Number.NaN),
    bare: Object.create(null) as unknown,
    properties: { ...properties, ["__proto__"]: "p" },
  });
  expect(JSON.parse(JSON.stringify(plain))).toEqual(
    JSON.parse(
      `{"userId":7,"currentTime":"2026-01-31T12:00:00.000Z","odd":"NaN","big":"12","isOn":false,
        "properties":{"list":"a,b","__proto__":"p"}}`,
    ),
  );
});

test("withSessionId() makes up an id only where there is none", () => {
  const sent = { fields: { userId: "1", sessionId: "mine" }, properties: {} };
  expect(withSessionId(sent)).toEqual(sent);
  const { fields } = withSessionId({ fields: { sessionId: "" }, properties: {} });
  expect(fields.sessionId).toMatch(/^[\da-f-]{36}$/);
});
