import type SemVer from "semver/classes/semver.js";
import parse from "semver/functions/parse.js";
import { type Operator, reportUnreadable } from "./operator.ts";

type AcceptsOrder = (order: -1 | 0 | 1) => boolean;

/** SEMVER_*: precedence as defined by semver.org, which ignores build metadata. */
export function compareVersions(accepts: AcceptsOrder): Operator {
  return (constraint, fields, report) => {
    const { contextName, value } = constraint;
    const operand = typeof value === "string" ? parse(value) : null;
    if (operand === null) return reportUnreadable(constraint, "a version such as 1.2.3", report);
    const slot = fields.derived("version", fields.text(contextName), parseContextVersion);
    return (request) => {
      const version = request.read(slot);
      return version !== null && accepts(version.compare(operand));
    };
  };
}

/** Unlike constraints, contexts may not use the form `v1.2.3`. */
function parseContextVersion(text: string | null): SemVer | null {
  return text === null || text.startsWith("v") ? null : parse(text);
}
