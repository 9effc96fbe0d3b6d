import { useQuery } from "@tanstack/react-query";
import { queries } from "../api/queries.ts";
import type { Names } from "./describe-strategy.ts";

/** What sentences about strategies refer to, as far as it has been read. */
export function useNames(): Names {
  const { data: segments = [] } = useQuery(queries.segments());
  const { data: types = [] } = useQuery(queries.strategyTypes());
  return { segments, types };
}
