import { MAX_NAME_LENGTH, NAME_PATTERN } from "flags-engine";
import { Type } from "typebox";
import { closedObject } from "./schemas.ts";

/** Describes `NAME_PATTERN` in error messages. */
export const NAME_RULE =
  "may contain only letters, digits and - _ . ! ~ * ' ( ), and must not be . or ..";

/** Pattern of strings with at least two characters apart from white space at the ends. */
export const TAG_VALUE_PATTERN = String.raw`\S[\s\S]*\S`;

/** Describes the pattern in error messages. */
export const TAG_VALUE_RULE =
  "must have at least 2 characters, not counting white space at the ends";

/** Schema of a name that is part of paths. */
export const Name = Type.String({
  minLength: 1,
  maxLength: MAX_NAME_LENGTH,
  pattern: NAME_PATTERN,
  description: "1 to 100 letters, digits and characters of - _ . ! ~ * ' ( )",
});

/** Body of the routes that validate a name. */
export const NameBody = closedObject("nameSchema", { name: Name });
