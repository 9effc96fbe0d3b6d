/** A problem in a document, and how it is handled. */
export interface Diagnostic {
  /** The affected part: `flag "name"` or `segment 1`. */
  readonly subject: string;
  /** What is wrong and how it is handled: one sentence without a final period. */
  readonly message: string;
}

export type Report = (message: string) => void;

/** More are not recorded: a short document can have millions of malformed parts. */
const MAX_DIAGNOSTICS = 10_000;

export function createReport(diagnostics: Diagnostic[], subject: string): Report {
  return (message) => {
    if (diagnostics.length < MAX_DIAGNOSTICS) diagnostics.push({ subject, message });
  };
}
