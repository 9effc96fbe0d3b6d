import {
  explainUnreachable,
  nameSetting,
  type OpenFiles,
  type Resolution,
  streamsWithin,
} from "flags-server-kit";
import { SETTINGS, type Settings } from "./settings.ts";

/**
 * Finds limits of connections and streams that were set but cannot be reached.
 *
 * @param maxConnections the limit in effect, be it set or not
 */
export function findUnreachableLimits(
  { values, origins }: Resolution<Settings>,
  maxConnections: number,
  openFiles: OpenFiles,
): readonly string[] {
  const hints: string[] = [];
  const origin = origins.get("maxConnections");
  if (origin !== undefined) {
    hints.push(explainUnreachable(origin, maxConnections, openFiles) ?? "");
  }
  const streamsOrigin = origins.get("pushMaxStreams");
  const maxStreams = streamsWithin(maxConnections, values.pushMaxStreams);
  if (streamsOrigin !== undefined && maxStreams < values.pushMaxStreams) {
    hints.push(
      `${streamsOrigin} is ${values.pushMaxStreams}, but at most ${maxStreams} of ${maxConnections} connections can be streams: raise ${nameSetting(SETTINGS.maxConnections)}, and the limit of open files (ulimit -n) if necessary`,
    );
  }
  return hints.filter((hint) => hint !== "");
}
