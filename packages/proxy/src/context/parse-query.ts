import { badField } from "../errors.ts";
import { readParameterName } from "./parameter-name.ts";
import { decodeQueryText } from "./query-text.ts";
import { SentContextBuilder, type SentContext } from "./sent-context.ts";

/** Reads a context from the query of a URL, throwing a 400 that names the parameter at fault. */
export function parseQueryContext(url: string): SentContext {
  const context = new SentContextBuilder();
  for (const parameter of parametersOf(url)) {
    const separator = parameter.indexOf("=");
    const end = separator === -1 ? parameter.length : separator;
    const { name, property } = readParameterName(parameter.slice(0, end));
    const value = decodeQueryText(parameter.slice(end + 1), name);
    if (name === "") continue;
    const isNew =
      property === undefined ? context.addField(name, value) : context.addProperty(property, value);
    if (!isNew) throw badField(name, "is given more than once");
  }
  return context.build();
}

function parametersOf(url: string): readonly string[] {
  const start = url.indexOf("?");
  return start === -1 ? [] : url.slice(start + 1).split("&");
}
