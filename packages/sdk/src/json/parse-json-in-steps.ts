import type { Steps } from "flags-engine";
import { ListScanner } from "./list-scanner.ts";

/** How many characters are parsed between two pauses, at least. */
const PIECE_LENGTH = 32_768;

/**
 * Does what `JSON.parse` does, and throws what it throws, with pauses within the lists that are
 * members of the document. 10,000 flags would else be parsed in one go.
 */
export function* parseJsonInSteps(
  text: string,
  pieceLength: number = PIECE_LENGTH,
): Steps<unknown> {
  const isLong = text.length > pieceLength && text.trimStart().startsWith("{");
  const parsed = isLong ? yield* tryInPieces(text, pieceLength) : undefined;
  return parsed ?? JSON.parse(text);
}

/** Undefined for what is not JSON: the error is to be about the whole. */
function* tryInPieces(text: string, pieceLength: number): Steps<object | undefined> {
  try {
    return yield* parseInPieces(text, pieceLength);
  } catch {
    return undefined;
  }
}

/**
 * Parses the elements of lists apart from the rest, in which numbers stand for them. What is not
 * JSON is not in pieces either: no character is left out, and a piece ends outside of strings.
 */
function* parseInPieces(text: string, pieceLength: number): Steps<object> {
  const scanner = new ListScanner(text);
  const pieces: unknown[][] = [];
  let rest = "";
  let start = 0;
  for (let mark = scanner.next(); mark !== undefined; mark = scanner.next()) {
    const { position } = scanner;
    if (mark === "between" && position - start < pieceLength) continue;
    if (mark === "start") {
      rest += text.slice(start, position);
    } else {
      const piece = JSON.parse(`[${text.slice(start, position - 1)}]`) as unknown[];
      // Nothing stands for nothing, which is right between brackets and wrong beside a comma.
      rest += (piece.length === 0 ? "" : String(pieces.length)) + text.charAt(position - 1);
      pieces.push(piece);
      yield;
    }
    start = position;
  }
  return putTogether(JSON.parse(rest + text.slice(start)) as object, pieces);
}

/** NOTE: `fromEntries` defines properties, so a member named `__proto__` is one of them. */
function putTogether(rest: object, pieces: readonly (readonly unknown[])[]): object {
  const members = Object.entries(rest).map(([name, value]: [string, unknown]) => [
    name,
    Array.isArray(value) ? value.flatMap((number: number) => pieces[number]) : value,
  ]);
  return Object.fromEntries(members) as object;
}
