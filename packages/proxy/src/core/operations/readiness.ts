import { HttpError, notReady } from "../http/errors.ts";
import { ageMsOf, isFresh } from "../../sources/age.ts";
import type { Source } from "../../sources/sources.ts";

/**
 * Returns whether at least one source has flags, from the upstream, a bootstrap or storage, and each other
 * one has flags or has failed. So a proxy of several environments waits for all of them at startup, but
 * not for one whose token is wrong or whose upstream is down: only requests with its keys get a 503.
 */
export function isReady(sources: readonly Source[]): boolean {
  return (
    sources.some(({ flags }) => flags.snapshot !== undefined) &&
    sources.every(
      ({ flags, lastFailure }) => flags.snapshot !== undefined || lastFailure() !== undefined,
    )
  );
}

export async function whenReady(sources: readonly Source[]): Promise<void> {
  if (isReady(sources)) return;
  await new Promise<void>((resolve) => {
    const check = (): void => {
      if (isReady(sources)) resolve();
    };
    for (const { flags, onFailure } of sources) {
      flags.on("changed", check);
      onFailure(check);
    }
  });
}

export interface ReadinessRules {
  readonly sources: readonly Source[];
  readonly maxStalenessMs: number | undefined;
  readonly isStopping: () => boolean;
}

/**
 * Returns why this replica should not get requests; undefined if it should. Flags that are too old count only if those of
 * every source are: when the token of one environment is revoked, all replicas must continue to serve the others.
 */
export function findReadinessError({
  sources,
  maxStalenessMs,
  isStopping,
}: ReadinessRules): HttpError | undefined {
  if (isStopping()) {
    return new HttpError(503, "The proxy is shutting down: send requests to another replica");
  }
  if (!isReady(sources)) return notReady();
  const ages = sources
    .filter(({ flags }) => flags.snapshot !== undefined)
    .map(({ flags }) => ageMsOf(flags));
  if (maxStalenessMs === undefined || ages.some((age) => isFresh(age, maxStalenessMs))) {
    return undefined;
  }
  const known = ages.filter((age) => age !== undefined);
  const confirmed =
    known.length === 0
      ? "The flags have not been confirmed since the start"
      : `The flags were last confirmed ${Math.round(Math.min(...known) / 1000)} s ago`;
  return new HttpError(
    503,
    `${confirmed}, and FLAGS_MAX_STALENESS allows ${maxStalenessMs / 1000} s: check the upstream`,
  );
}
