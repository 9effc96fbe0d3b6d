import type { UpstreamSource } from "../sources.ts";
import { completeSource, type GrantedSource } from "./restricted-source.ts";

/** Creates a function that returns the name of a source, restricted or not, for telemetry. */
export function createSourceNames(
  sources: readonly UpstreamSource[],
): (source: GrantedSource) => string {
  const names = new Map<GrantedSource, string>(sources.map(({ flags, name }) => [flags, name]));
  return (source) => names.get(completeSource(source)) ?? "unknown";
}
