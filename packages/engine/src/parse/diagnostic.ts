/** Something a document says that cannot be honoured, and what is done instead. */
export interface Diagnostic {
  /** Where: a flag as `feature "name"`, a segment as `segment 1`. */
  readonly subject: string;
  /** What is wrong and how it is treated: one sentence, without a final period. */
  readonly message: string;
}

/** Takes note of a diagnostic about the part of the document at hand. */
export type Report = (message: string) => void;
