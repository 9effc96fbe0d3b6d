/**
 * Work that pauses after every small piece, so that others can have their turn in between. Who does
 * it decides when it goes on, and whether.
 */
export type Steps<Result> = Generator<undefined, Result, undefined>;

/** Does the work in one go. */
export function complete<Result>(steps: Steps<Result>): Result {
  let step = steps.next();
  while (step.done !== true) step = steps.next();
  return step.value;
}
