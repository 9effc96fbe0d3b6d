import { checkNesting, type Steps } from "flags-engine";

/** Lists and objects in a document, enough for 100,000 flags. They can take a hundred times the memory of their text. */
const MAX_PARTS = 1_000_000;

/**
 * Parses JSON, with a limit on its lists and objects, and on their nesting.
 *
 * `JSON.parse` blocks the event loop for 10 to 20 ms with 10,000 flags, which requests can wait for.
 *
 * @throws {DocumentError} if there are too many lists and objects, or if they are nested too deeply
 * @throws {SyntaxError} if the text is not JSON
 */
export function* readJson(text: string): Steps<unknown> {
  yield* checkNesting(text, MAX_PARTS);
  return JSON.parse(text);
}
