import { createListKind, InvalidValue, type Kind } from "flags-server-kit";

/** One tag to filter flags by. */
export interface Tag {
  readonly name: string;
  readonly value: string;
}

const texts = createListKind({
  of: "tags such as name:value",
  parseEntry: (text) => parseTag(text) ?? new InvalidValue("is not of the form name:value"),
});

/** Tags, in code as objects or as text. */
export const tagsKind: Kind<readonly Tag[]> = {
  allowed: "a list of { name, value } or text such as name:value,name2:value2",
  allowedText: texts.allowedText,
  fromText: (text) => texts.fromText(text),
  fromValue: (value) => {
    if (typeof value === "string") return texts.fromText(value);
    if (!Array.isArray(value)) return new InvalidValue();
    const tags = value.map(toTag);
    const wrong = tags.indexOf(undefined);
    if (wrong !== -1)
      return new InvalidValue(`entry ${wrong + 1} lacks a text as its name or value`);
    return tags.filter((tag) => tag !== undefined);
  },
};

function parseTag(text: string): Tag | undefined {
  const colon = text.indexOf(":");
  const name = text.slice(0, Math.max(colon, 0)).trim();
  const value = text.slice(colon + 1).trim();
  return name === "" || value === "" ? undefined : { name, value };
}

function toTag(entry: unknown): Tag | undefined {
  if (typeof entry === "string") return parseTag(entry);
  if (typeof entry !== "object" || entry === null) return undefined;
  const { name, value } = entry as Partial<Record<keyof Tag, unknown>>;
  return isText(name) && isText(value) ? { name, value } : undefined;
}

function isText(value: unknown): value is string {
  return typeof value === "string" && value !== "";
}
