import { DocumentError } from "flags-engine";
import type { Steps } from "flags-engine";

/** Flag documents need about ten levels. What walks a document recursively must not overflow the stack. */
const MAX_DEPTH = 100;

const CHARACTERS_PER_STEP = 200_000;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPENING = 0x7b;
const CLOSING = 0x7d;

/** Brackets differ from braces in this bit only. */
const BRACE = 0x20;

/**
 * Checks how deeply lists and objects are nested in a JSON text, in linear time and before it is
 * parsed: parsing takes memory and time for every level. Pauses within long texts.
 *
 * @throws {DocumentError} when there are more than 100 levels
 */
export function* checkNesting(text: string): Steps<void> {
  let depth = 0;
  let pauseAt = CHARACTERS_PER_STEP;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) at = endOfString(text, at);
    else if ((code | BRACE) === OPENING) depth += 1;
    else if ((code | BRACE) === CLOSING) depth -= 1;
    if (depth > MAX_DEPTH) {
      throw new DocumentError(`Lists and objects are nested more than ${MAX_DEPTH} levels deep`);
    }
    if (at < pauseAt) continue;
    pauseAt = at + CHARACTERS_PER_STEP;
    yield;
  }
}

/** The position of the quote that closes the string opened at `start`, or the end of the text. */
export function endOfString(text: string, start: number): number {
  let at = start + 1;
  while (at < text.length && text.charCodeAt(at) !== QUOTE) {
    at += text.charCodeAt(at) === BACKSLASH ? 2 : 1;
  }
  return at;
}
