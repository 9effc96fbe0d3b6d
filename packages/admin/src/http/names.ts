import { Type } from "typebox";
import { closedObject } from "./schemas.ts";

/** Pattern of names that are part of paths: characters that need no encoding there, except `.` and `..`. */
export const NAME_PATTERN = String.raw`^(?!\.{1,2}$)[A-Za-z0-9_.!~*'()-]+$`;

/** Describes the pattern in error messages. */
export const NAME_RULE =
  "may contain only letters, digits and - _ . ! ~ * ' ( ), and must not be . or ..";

/** Pattern of strings with at least two characters apart from white space at the ends. */
export const TAG_VALUE_PATTERN = String.raw`\S[\s\S]*\S`;

/** Describes the pattern in error messages. */
export const TAG_VALUE_RULE =
  "must have at least 2 characters, not counting white space at the ends";

const MAX_LENGTH = 100;

/** Schema of a name that is part of paths. */
export const Name = Type.String({
  minLength: 1,
  maxLength: MAX_LENGTH,
  pattern: NAME_PATTERN,
  description: "1 to 100 letters, digits and characters of - _ . ! ~ * ' ( )",
});

/** Body of the routes that validate a name. */
export const NameBody = closedObject("nameSchema", { name: Name });

const EXPRESSION = new RegExp(NAME_PATTERN);

export function isName(text: string): boolean {
  return text.length <= MAX_LENGTH && EXPRESSION.test(text);
}
