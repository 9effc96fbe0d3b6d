import { badField } from "../errors.ts";
import { decodeQueryText } from "./query-text.ts";

const PROPERTY_START = "properties[";

/** Clients send the same few names all the time; more than this are not remembered. */
const MAX_REMEMBERED = 200;
const MAX_REMEMBERED_LENGTH = 100;

/** The name of a query parameter, decoded. */
export interface ParameterName {
  readonly name: string;
  /** The property that it gives, when it is written as `properties[name]`. */
  readonly property: string | undefined;
}

const remembered = new Map<string, ParameterName>();

/** Reads the name of a query parameter as it stands in the URL, throwing a 400 for a bad one. */
export function readParameterName(text: string): ParameterName {
  const known = remembered.get(text);
  if (known !== undefined) return known;
  const name = decodeQueryText(text, text);
  const read = { name, property: propertyOf(name) };
  if (remembered.size < MAX_REMEMBERED && text.length <= MAX_REMEMBERED_LENGTH) {
    remembered.set(text, read);
  }
  return read;
}

function propertyOf(name: string): string | undefined {
  if (name === "properties") {
    throw badField(name, "must be given one by one, as `properties[name]=value`");
  }
  if (!name.startsWith(PROPERTY_START)) return undefined;
  const property = name.slice(PROPERTY_START.length, -1);
  if (!name.endsWith("]") || property === "") {
    throw badField(name, "must be written as `properties[name]=value`");
  }
  if (property.includes("][")) throw badField(name, "must be a single value: properties are flat");
  return property;
}
