import type { Report } from "./diagnostics.ts";
import { parseBoolean, textOrUndefined } from "./json.ts";
import type { JsonObject } from "./json.ts";

/** What protocols can send to clients about a flag, besides its outcome. */
export interface FlagDetails {
  readonly name: string;
  readonly type: string | undefined;
  readonly project: string | undefined;
  readonly stale: boolean;
  readonly impressionData: boolean;
}

export function parseDetails(name: string, input: JsonObject, report: Report): FlagDetails {
  return {
    name,
    type: textOrUndefined(input["type"]),
    project: textOrUndefined(input["project"]),
    stale: parseBoolean(input["stale"], "stale", report),
    impressionData: parseBoolean(input["impressionData"], "impressionData", report),
  };
}
