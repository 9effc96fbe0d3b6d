import { expect, test } from "vitest";
import { withMark } from "./marked-text.ts";

test("withMark() marks a text with whole numbers, and never checks it with 0", () => {
  for (const text of ["", "/proxy?userId=1", "ø€😀", "x".repeat(20_000)]) {
    const marked = withMark(text);
    expect(marked).toEqual(withMark(text));
    expect(marked.text).toBe(text);
    expect(marked.mark | 0).toBe(marked.mark);
    expect(marked.check | 0).toBe(marked.check);
    expect(marked.check).not.toBe(0);
  }
});

test("withMark() gives most texts a mark of their own", () => {
  const users = Array.from({ length: 100_000 }, (_, user) => `/proxy?userId=u${user}&plan=free`);
  const marks = new Set(users.map((text) => withMark(text).mark));
  expect(marks.size).toBeGreaterThan(99_900);
});
