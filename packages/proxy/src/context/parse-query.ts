import { badField } from "../errors.ts";
import { readParameterName } from "./parameter-name.ts";
import { decodeQueryText } from "./query-text.ts";
import { SentContextBuilder, type SentContext } from "./sent-context.ts";

/** Reads a context from the query of a URL, throwing a 400 that names the parameter at fault. */
export function parseQueryContext(url: string): SentContext {
  const context = new SentContextBuilder();
  const question = url.indexOf("?");
  if (question === -1) return context.build();
  let start = question + 1;
  // NOTE: with `split()` all of this takes a third longer.
  while (start <= url.length) {
    const ampersand = url.indexOf("&", start);
    const end = ampersand === -1 ? url.length : ampersand;
    addParameter(context, url.slice(start, end));
    start = end + 1;
  }
  return context.build();
}

function addParameter(context: SentContextBuilder, parameter: string): void {
  const separator = parameter.indexOf("=");
  const end = separator === -1 ? parameter.length : separator;
  const { name, property } = readParameterName(parameter.slice(0, end));
  const value = decodeQueryText(parameter.slice(end + 1), name);
  if (name === "") return;
  const isNew =
    property === undefined ? context.addField(name, value) : context.addProperty(property, value);
  if (!isNew) throw badField(name, "is given more than once");
}
