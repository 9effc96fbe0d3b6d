import { compileSnapshot, parseDocument } from "flags-engine";
import { expect, test, vi } from "vitest";
import { proxyDialect } from "../dialects/proxy.ts";
import { createRenderer } from "../render/rendering.ts";
import { selectAll } from "../render/select.ts";
import { PreparedAnswer } from "./prepared-answer.ts";

const DOCUMENT = { features: [{ name: "a", enabled: true, strategies: [] }] };

test("an answer that is kept needs its body only, and no longer what that is made of", () => {
  const snapshot = compileSnapshot(parseDocument(DOCUMENT), { now: Date.now, random: Math.random });
  const source = selectAll(
    createRenderer(proxyDialect).render(snapshot),
    snapshot.evaluateAll({}).outcomes,
  );
  const expected = source.body();
  const answer = new PreparedAnswer(source);
  answer.keep();
  const writeTo = vi.spyOn(source, "writeTo");
  const room = Buffer.alloc(answer.byteLength);
  answer.writeTo(room);
  expect([room, answer.body]).toEqual([expected, expected]);
  expect(writeTo).not.toHaveBeenCalled();
});
