/** The configuration cannot be used. Lists every problem at once, none of which shows a secret. */
export class ConfigError extends Error {
  override readonly name = "ConfigError";
  readonly code = "FLAGS_CONFIG";
  readonly problems: readonly string[];
  /** Things that do no harm but may explain a problem. */
  readonly hints: readonly string[];

  constructor(problems: readonly string[], hints: readonly string[] = []) {
    super(
      [...toList("Cannot use this configuration", problems), ...toList("Note", hints)].join("\n"),
    );
    this.problems = Object.freeze([...problems]);
    this.hints = Object.freeze([...hints]);
  }
}

function toList(heading: string, sentences: readonly string[]): readonly string[] {
  if (sentences.length === 0) return [];
  return [`${heading}:`, ...sentences.map((sentence) => `  - ${sentence}`)];
}
