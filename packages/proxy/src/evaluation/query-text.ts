import { badField } from "../errors.ts";

/** Decodes a name or a value of a query, throwing a 400 that names the parameter. */
export function decodeQueryText(text: string, parameter: string): string {
  if (!text.includes("%") && !text.includes("+")) return text;
  try {
    return decodeURIComponent(text.replaceAll("+", " "));
  } catch {
    throw badField(parameter, "is not valid percent-encoding: write a literal `%` as `%25`");
  }
}
