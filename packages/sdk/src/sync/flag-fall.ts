import { describeCount } from "../describe-count.ts";
import type { FlagFall } from "../synced-flags.ts";

/** Whether the number of flags falls so far that it is probably a mistake: to none, or below half. */
export function isFall(before: number, after: number): boolean {
  return before > 0 && (after === 0 || after < before / 2);
}

/** Describes a fall for the log. */
export function describeFall({ before, after, isHeldBack }: FlagFall): string {
  return isHeldBack
    ? `The upstream sends no flags, after ${describeCount(before, "flag")}: those are kept until three more polls or 15 s of a stream confirm it. Check the upstream and its database`
    : `The number of flags has fallen from ${before} to ${after}: check the upstream if that is not intended`;
}
