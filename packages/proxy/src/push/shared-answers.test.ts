import type { Context } from "flags-engine";
import { expect, test } from "vitest";
import { flag, withConstraint } from "../../test/_documents.ts";
import { DocumentSource } from "../../test/_source.ts";
import { proxyDialect } from "../dialects/proxy.ts";
import { createRenderer } from "../render/rendering.ts";
import { createMessageForms } from "./message-forms.ts";
import { SharedAnswers } from "./shared-answers.ts";

const snapshotOf = (...features: readonly object[]) => {
  const { snapshot } = new DocumentSource({ features });
  if (snapshot === undefined) throw new Error("The document was not compiled");
  return snapshot;
};
const { render } = createRenderer(proxyDialect);
const forms = createMessageForms({ toggles: render, frontend: render, refetch: render });
const create = (): SharedAnswers => new SharedAnswers(forms);
const askFor = (userId: unknown, extra: Context = {}) => ({ context: { userId, ...extra } });

test("answer() works out questions that must have one answer once", () => {
  const answers = create();
  const snapshot = snapshotOf(flag("a", { strategies: [withConstraint("userId", ["1"])] }));
  const first = answers.answer(snapshot, askFor("1", { sessionId: "x" }));
  expect(answers.answer(snapshot, askFor("1", { sessionId: "y" }))).toBe(first);
  expect(answers.answer(snapshot, askFor("2"))).not.toBe(first);
  expect(first.bytes).toBe(first.bytes);
  expect(first.bytes.toString()).toBe(
    `event: toggles\nid: ${first.id}\ndata: {"toggles":[{"name":"a","enabled":true,` +
      `"variant":{"name":"disabled","enabled":false},"impressionData":false}]}\n\n`,
  );
});

test("answer() tells choices of toggles apart, and where a value is", () => {
  const answers = create();
  const snapshot = snapshotOf(flag("a", { strategies: [withConstraint("userId", ["1"])] }));
  const question = askFor("2");
  const ids = [
    answers.answer(snapshot, question),
    answers.answer(snapshot, { ...question, all: true }),
    answers.answer(snapshot, { ...question, toggles: [] }),
    answers.answer(snapshot, { ...question, toggles: ["b"] }),
  ].map(({ bytes }) => /data: (.*)/.exec(bytes.toString())?.[1]);
  expect(ids[0]).toBe('{"toggles":[]}');
  expect(ids[1]).toContain('"name":"a","enabled":false');
  expect(ids[2]).toBe('{"toggles":[]}');
  expect(ids[3]).toContain('"name":"b","enabled":false');
});

test("answer() draws anew for each question that a random rule decides", () => {
  const answers = create();
  const random = { name: "gradualRolloutRandom", parameters: { percentage: "50" } };
  const snapshot = snapshotOf(flag("a", { strategies: [random] }));
  const ids = Array.from({ length: 64 }, () => answers.answer(snapshot, askFor("1")).id);
  expect(new Set(ids).size).toBe(2);
});

test("answer() goes by the clock again once it was told to forget", () => {
  const answers = create();
  const constraint = { contextName: "currentTime", operator: "DATE_AFTER", value: "2020-01-01" };
  const strategy = { name: "default", parameters: {}, constraints: [constraint] };
  const snapshot = snapshotOf(flag("a", { strategies: [strategy] }));
  const first = answers.answer(snapshot, askFor("1"));
  expect(answers.answer(snapshot, askFor("2"))).toBe(first);
  expect(answers.answer(snapshot, askFor("2", { currentTime: "2019-01-01" }))).not.toBe(first);
  answers.forget();
  expect(answers.answer(snapshot, askFor("1"))).not.toBe(first);
});

test("answer() never gives an answer of another snapshot", () => {
  const answers = create();
  const [on, off] = [snapshotOf(flag("a")), snapshotOf(flag("a", { enabled: false }))];
  const first = answers.answer(on, askFor("1"));
  expect(answers.answer(off, askFor("1")).id).not.toBe(first.id);
  expect(answers.answer(on, askFor("1")).id).toBe(first.id);
});

test("answer() tells who only wants to know when to ask again no more than that", () => {
  const answers = create();
  const snapshot = snapshotOf(flag("a", { strategies: [withConstraint("userId", ["1"])] }));
  const toggles = answers.answer(snapshot, askFor("1"));
  const refetch = answers.answer(snapshot, { ...askFor("1"), kind: "refetch" });
  expect(refetch.id).toBe(toggles.id);
  const data = JSON.stringify({ type: "refetchEvaluation", etag: refetch.id });
  expect(refetch.bytes.toString()).toBe(`event: message\nid: ${refetch.id}\ndata: ${data}\n\n`);
});
