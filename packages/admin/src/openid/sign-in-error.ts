/**
 * Why a sign-in failed, as the page shows it: the provider or the user has refused it; the user has no role; it
 * was not started in this browser or took too long; the provider cannot be reached; anything else.
 */
type SignInProblem = "denied" | "expired" | "failed" | "forbidden" | "unavailable";

/** A sign-in failed. The message is for the log, and contains no secret. */
export class SignInError extends Error {
  override readonly name = "SignInError";
  readonly problem: SignInProblem;

  constructor(problem: SignInProblem, message: string) {
    super(message);
    this.problem = problem;
  }
}
