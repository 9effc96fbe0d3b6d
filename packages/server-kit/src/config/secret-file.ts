import { redactTokens, REDACTED } from "../logging/redact.ts";
import { InvalidValue } from "./kind.ts";
import { readTextFile } from "./read-text-file.ts";
import { showText } from "./show-text.ts";

/** The file of a secret cannot be read. `detail` is a sentence about the file. */
export class UnreadableFile extends InvalidValue {}

/** Reads a secret from a file. Whitespace around it is ignored. */
export function readSecretFile(path: string): string | UnreadableFile {
  const file = readTextFile(path);
  // NOTE: hides tokens, because a secret may have been put in place of the path.
  const name = redactTokens(showText(path), REDACTED);
  if ("problem" in file) return new UnreadableFile(`cannot read the file ${name}: ${file.problem}`);
  const text = file.text.trim();
  return text === "" ? new UnreadableFile(`the file ${name} is empty`) : text;
}
