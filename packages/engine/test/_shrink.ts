import type { Context } from "../src/index.ts";
import { findDifference } from "./_compare.ts";
import type { Question } from "./_compare.ts";
import type { RandomDocument } from "./_random-document.ts";

/** Takes parts away from a question for as long as the two engines still disagree about it. */
export async function shrink(question: Question): Promise<Question> {
  let smallest = question;
  for (;;) {
    const smaller = await firstThatDiffers(candidates(smallest));
    if (smaller === undefined) return smallest;
    smallest = smaller;
  }
}

async function firstThatDiffers(questions: Iterable<Question>): Promise<Question | undefined> {
  for (const question of questions) {
    if (await stillDiffers(question)) return question;
  }
  return undefined;
}

async function stillDiffers(question: Question): Promise<boolean> {
  if (!question.document.features.some(({ name }) => name === question.flag)) return false;
  return findDifference(question).then(
    (difference) => difference !== undefined,
    () => false,
  );
}

function* candidates(question: Question): Generator<Question> {
  for (const document of without(question.document)) {
    yield { ...question, document: document as RandomDocument };
  }
  for (const context of without(question.context)) {
    yield { ...question, context: context as Context };
  }
}

/** Every value that lacks one entry of a list or one member of an object, at any depth. */
function* without(value: unknown): Generator {
  if (Array.isArray(value)) {
    yield* listsWithout(value);
  } else if (isPlainObject(value)) {
    yield* objectsWithout(value);
  }
}

function* listsWithout(list: readonly unknown[]): Generator<unknown[]> {
  for (const index of list.keys()) yield list.toSpliced(index, 1);
  for (const [index, entry] of list.entries()) {
    for (const smaller of without(entry)) yield list.with(index, smaller);
  }
}

function* objectsWithout(object: Readonly<Record<string, unknown>>): Generator<object> {
  for (const key of Object.keys(object)) {
    const { [key]: _, ...rest } = object;
    if (key !== "features" && key !== "name") yield rest;
  }
  for (const [key, entry] of Object.entries(object)) {
    for (const smaller of without(entry)) yield { ...object, [key]: smaller };
  }
}

function isPlainObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return Object.prototype.toString.call(value) === "[object Object]";
}
