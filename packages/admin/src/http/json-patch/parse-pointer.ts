import { badData } from "../../errors.ts";

/**
 * The steps of a JSON Pointer, RFC 6901; none for the whole document.
 *
 * @throws {ApiError} when it is none
 */
export function parsePointer(pointer: string, at: string): readonly string[] {
  if (pointer === "") return [];
  if (!pointer.startsWith("/")) throw badData(at, "must start with a slash");
  return pointer
    .slice(1)
    .split("/")
    .map((token) => {
      if (/~(?![01])/.test(token)) throw badData(at, "must write ~ as ~0 and / as ~1");
      return token.replaceAll("~1", "/").replaceAll("~0", "~");
    });
}
