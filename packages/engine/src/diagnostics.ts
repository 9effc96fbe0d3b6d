import type { Diagnostic, Report } from "./snapshot.ts";

/** More are not recorded: a short document can have millions of malformed parts. */
const MAX_DIAGNOSTICS = 10_000;

/** Creates the function that records the problems of a flag or segment. */
export function createReport(diagnostics: Diagnostic[], subject: string): Report {
  return (message) => {
    if (diagnostics.length < MAX_DIAGNOSTICS) diagnostics.push({ subject, message });
  };
}
