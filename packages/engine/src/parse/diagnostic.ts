/** Something a document says that cannot be honoured, and what is done instead. */
export interface Diagnostic {
  /** The flag concerned, or the segment as `segment <id>`. */
  readonly subject: string;
  /** One sentence, without a final period. */
  readonly message: string;
}
