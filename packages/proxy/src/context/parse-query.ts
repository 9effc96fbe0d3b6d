import { badField } from "../errors.ts";
import { SentContextBuilder, type SentContext } from "./sent-context.ts";

const PROPERTY_START = "properties[";

/** Reads a context from the query of a URL, throwing a 400 that names the parameter at fault. */
export function parseQueryContext(url: string): SentContext {
  const context = new SentContextBuilder();
  const seen = new Set<string>();
  for (const parameter of parametersOf(url)) {
    const separator = parameter.indexOf("=");
    const end = separator === -1 ? parameter.length : separator;
    const rawName = parameter.slice(0, end);
    const name = decode(rawName, rawName);
    const value = decode(parameter.slice(end + 1), name);
    if (name === "") continue;
    if (seen.has(name)) throw badField(name, "is given more than once");
    seen.add(name);
    addParameter(context, name, value);
  }
  return context.build();
}

function parametersOf(url: string): readonly string[] {
  const start = url.indexOf("?");
  return start === -1 ? [] : url.slice(start + 1).split("&");
}

function addParameter(context: SentContextBuilder, name: string, value: string): void {
  if (name === "properties") {
    throw badField(name, "must be given one by one, as `properties[name]=value`");
  }
  if (name.startsWith(PROPERTY_START)) {
    context.addProperty(propertyNameOf(name), value);
  } else {
    context.addField(name, value);
  }
}

function propertyNameOf(name: string): string {
  const property = name.slice(PROPERTY_START.length, -1);
  if (!name.endsWith("]") || property === "") {
    throw badField(name, "must be written as `properties[name]=value`");
  }
  if (property.includes("][")) throw badField(name, "must be a single value: properties are flat");
  return property;
}

function decode(text: string, parameter: string): string {
  if (!text.includes("%") && !text.includes("+")) return text;
  try {
    return decodeURIComponent(text.replaceAll("+", " "));
  } catch {
    throw badField(parameter, "is not valid percent-encoding: write a literal `%` as `%25`");
  }
}
