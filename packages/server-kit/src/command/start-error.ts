/**
 * Why a program cannot start, in a sentence for the person who can mend it. It is shown without a
 * stack trace.
 */
export class StartError extends Error {
  override readonly name = "StartError";
}
