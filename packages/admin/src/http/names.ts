import { Type } from "typebox";
import { closedObject } from "./schemas.ts";

/** What a name that is part of paths may hold: what needs no encoding there. `.` and `..` are paths. */
export const NAME_PATTERN = String.raw`^(?!\.{1,2}$)[A-Za-z0-9_.!~*'()-]+$`;

/** The same in words. */
export const NAME_RULE =
  "may hold letters, digits and - _ . ! ~ * ' ( ) only, and must not be . or ..";

/** The schema of such a name. */
export const Name = Type.String({
  minLength: 1,
  maxLength: 100,
  pattern: NAME_PATTERN,
  description: "1 to 100 letters, digits and characters of - _ . ! ~ * ' ( )",
});

/** A body that holds a name, to be checked before it is used. */
export const NameBody = closedObject("nameSchema", { name: Name });

const EXPRESSION = new RegExp(NAME_PATTERN);

export function isName(text: string): boolean {
  return text.length <= 100 && EXPRESSION.test(text);
}
