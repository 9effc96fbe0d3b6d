import { createInterface } from "node:readline";
import { type Readable, Writable } from "node:stream";
import { EXIT_FAILURE, SubcommandError } from "flags-server-kit/command-line";

interface Terminal {
  readonly input: Readable;
  /** For the questions. */
  readonly output: Writable;
}

/**
 * Asks for a new password twice, without showing what is typed.
 *
 * @throws {SubcommandError} if both differ, or the user cancels
 */
export async function askSecret({ input, output }: Terminal): Promise<string> {
  const reader = createInterface({ input, output: new Hidden(), terminal: true });
  const lines = reader[Symbol.asyncIterator]();
  const ask = async (question: string): Promise<string> => {
    output.write(question);
    const { value, done } = await lines.next();
    output.write("\n");
    // Ctrl-C and Ctrl-D close the reader.
    if (done === true) throw new SubcommandError("Cancelled", EXIT_FAILURE);
    return value;
  };
  try {
    const secret = await ask("Password: ");
    if ((await ask("The same again: ")) === secret) return secret;
    throw new SubcommandError("The two passwords differ", EXIT_FAILURE);
  } finally {
    reader.close();
  }
}

/** Where the typed characters go. */
class Hidden extends Writable {
  override _write(_chunk: unknown, _encoding: string, done: () => void): void {
    done();
  }
}
