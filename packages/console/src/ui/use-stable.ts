import { useCallback, useLayoutEffect, useRef } from "react";

/** Returns the same function each time, which calls the latest one. Not for calls while something is rendered. */
export function useStable<Parameters extends readonly unknown[], Result>(
  latest: (...parameters: Parameters) => Result,
): (...parameters: Parameters) => Result {
  const current = useRef(latest);
  useLayoutEffect(() => {
    current.current = latest;
  });
  return useCallback((...parameters: Parameters) => current.current(...parameters), []);
}
