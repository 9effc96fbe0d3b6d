/** Work that pauses after every small step, so that the caller can run other tasks in between. */
export type Steps<Result> = Generator<undefined, Result, undefined>;

export function runToEnd<Result>(steps: Steps<Result>): Result {
  let step = steps.next();
  while (step.done !== true) step = steps.next();
  return step.value;
}
