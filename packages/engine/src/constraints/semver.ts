import type SemVer from "semver/classes/semver.js";
import parse from "semver/functions/parse.js";
import type { Operator } from "./operator.ts";

type Accepts = (order: -1 | 0 | 1) => boolean;

/** SEMVER_EQ and its kin: precedence as semver.org defines it, build metadata left aside. */
export const versionEquals: Operator = compareWith((order) => order === 0);
export const versionGreater: Operator = compareWith((order) => order > 0);
export const versionGreaterOrEqual: Operator = compareWith((order) => order >= 0);
export const versionLess: Operator = compareWith((order) => order < 0);
export const versionLessOrEqual: Operator = compareWith((order) => order <= 0);

function compareWith(accepts: Accepts): Operator {
  return ({ contextName, value }, fields) => {
    const operand = typeof value === "string" ? parse(value) : null;
    if (operand === null) return false;
    const slot = fields.derived("version", contextName, parseContextVersion);
    return (request) => {
      const version = request.read(slot);
      return version !== null && accepts(version.compare(operand));
    };
  };
}

/** Contexts may not write `v1.2.3`, although constraints may. */
function parseContextVersion(text: string | null): SemVer | null {
  return text === null || text.startsWith("v") ? null : parse(text);
}
