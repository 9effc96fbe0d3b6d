import { readFile } from "node:fs/promises";
import { text } from "node:stream/consumers";
import { explainUnreadable } from "flags-server-kit";
import { EXIT_FAILURE, EXIT_USAGE, SubcommandError } from "flags-server-kit/command-line";
import { askSecret } from "./ask-secret.ts";

/**
 * Reads a secret from a file, without the line break at its end. `-` stands for the standard input; at a terminal, asks for it.
 *
 * @param option name of the option with the file, for messages
 * @throws {SubcommandError} if that is not possible, or the secret is empty
 */
export async function readSecretFile(file: string, option: string): Promise<string> {
  const secret = (await readContent(file, option)).replace(/\r?\n$/, "");
  if (secret !== "") return secret;
  throw new SubcommandError(`--${option}: ${describeFile(file)} is empty`, EXIT_USAGE);
}

async function readContent(file: string, option: string): Promise<string> {
  if (file === "-") {
    const { stdin, stderr } = process;
    return stdin.isTTY ? askSecret({ input: stdin, output: stderr }) : text(stdin);
  }
  try {
    return await readFile(file, "utf8");
  } catch (cause) {
    throw new SubcommandError(
      `--${option}: cannot read ${describeFile(file)}: ${explainUnreadable(cause)}`,
      EXIT_FAILURE,
      { cause },
    );
  }
}

function describeFile(file: string): string {
  return file === "-" ? "the standard input" : `the file ${file}`;
}
