import { compileSnapshot, parseDocument } from "flags-engine";
import { expect, test } from "vitest";
import { proxyDialect } from "../dialects/proxy.ts";
import { createRenderer } from "../render/rendering.ts";
import { selectAll, selectNamed } from "../render/select.ts";
import { AnswerCache } from "./answer-cache.ts";
import { withMark } from "./marked-text.ts";
import { PreparedAnswer } from "./prepared-answer.ts";

const features = Array.from({ length: 20 }, (_, index) => ({
  name: `flag ${index}`,
  enabled: true,
}));
const NAMES = features.map(({ name }) => name);

function compile() {
  return compileSnapshot(parseDocument({ version: 2, features }), {
    now: () => 0,
    random: () => 0,
  });
}

const snapshot = compile();
const outcomes = snapshot.evaluateAll({}).outcomes;

function answerOf(names: readonly string[], dialect = proxyDialect): PreparedAnswer {
  const rendering = createRenderer(dialect).render(snapshot);
  return new PreparedAnswer(selectNamed(rendering, outcomes, names));
}

test("get() knows an answer from the second time on that it was offered", () => {
  const answers = new AnswerCache();
  const question = withMark("/proxy?userId=1");
  const answer = answerOf(NAMES);
  answers.offer(snapshot, question, answer);
  expect(answers.get(snapshot, question)).toBeUndefined();
  answers.offer(snapshot, question, answer);
  expect(answers.get(snapshot, withMark("/proxy?userId=1"))).toBe(answer);
  expect(answers.get(compile(), question)).toBeUndefined();
});

test("get() keeps questions apart that have the same mark", () => {
  const answers = new AnswerCache();
  const first = { text: "/proxy?userId=1", mark: 7, check: 1 };
  const second = { text: "/proxy?userId=2", mark: 7, check: 2 };
  const answer = answerOf(NAMES);
  for (let i = 0; i < 2; i++) answers.offer(snapshot, first, answer);
  expect(answers.get(snapshot, first)).toBe(answer);
  expect(answers.get(snapshot, second)).toBeUndefined();
  const another = answerOf(NAMES);
  for (let i = 0; i < 2; i++) answers.offer(snapshot, second, another);
  expect(answers.get(snapshot, second)).toBe(another);
  expect(answers.get(snapshot, first)).toBeUndefined();
});

test("unify() gives everybody the same answer from the third on, whichever way it came about", () => {
  const answers = new AnswerCache();
  expect(answers.unify(snapshot, answerOf(NAMES)).isKept).toBe(false);
  const second = answers.unify(snapshot, answerOf(NAMES));
  expect(second.isKept).toBe(true);
  const rendering = createRenderer(proxyDialect).render(snapshot);
  const third = new PreparedAnswer(selectAll(rendering, outcomes));
  expect(answers.unify(snapshot, third)).toBe(second);
});

test("unify() keeps apart what differs: the flags, their order, the dialect, the snapshot", () => {
  const answers = new AnswerCache();
  for (let i = 0; i < 3; i++) answers.unify(snapshot, answerOf(NAMES));
  const others = [
    answerOf(NAMES.slice(1)),
    answerOf(NAMES.toReversed()),
    answerOf(NAMES, { ...proxyDialect, prefix: '{"flags":[' }),
  ];
  for (const other of others) expect(answers.unify(snapshot, other)).toBe(other);
  const sameAgain = answerOf(NAMES);
  expect(answers.unify(compile(), sameAgain)).toBe(sameAgain);
});

test("unify() does not bother about an answer that nobody would compress", () => {
  const answers = new AnswerCache();
  for (let i = 0; i < 3; i++) {
    const small = answerOf(NAMES.slice(0, 2));
    expect(answers.unify(snapshot, small)).toBe(small);
    expect(small.isKept).toBe(false);
  }
});
