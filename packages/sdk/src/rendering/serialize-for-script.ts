/** Characters that would end a script, or a line of it. */
const UNSAFE = /[<\u2028\u2029]/g;

/**
 * Returns a value as JSON that is safe inside a `<script>` of an HTML page: `<` is escaped, so that no value can close the
 * element or open a comment. It is not for attributes.
 *
 * @throws {TypeError} if JSON cannot represent the value
 * @example
 * const html = `<script>window.FLAGS = ${serializeForScript(flags.bootstrap)}</script>`;
 */
export function serializeForScript(value: unknown): string {
  const json: string | undefined = JSON.stringify(value);
  if (json === undefined) throw new TypeError(`Cannot write ${typeof value} as JSON`);
  return json.replaceAll(
    UNSAFE,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
