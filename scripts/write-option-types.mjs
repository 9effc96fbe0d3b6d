// Writes the published types of the proxy's options with a comment for each option, which editors show. The comments
// follow from the table of settings: TypeScript keeps none for types that are derived. Requires compiled settings.

import { readFile, writeFile } from "node:fs/promises";
import { SETTINGS } from "../packages/proxy/dist/config/settings.js";

const source = new URL("../packages/proxy/src/config/options.ts", import.meta.url);
const target = new URL("../packages/proxy/dist/config/options.d.ts", import.meta.url);

/** `type X = Options<"x.">;`, or `interface X extends Options<""> {`. */
const DERIVED = /(?:type (\w+) =|interface (\w+) extends) Options<"(.*)">(?:;| \{)/g;

const text = await readFile(source, "utf8");
const types = text.replaceAll(DERIVED, (_, alias, name, prefix) => {
  const members = listMembers(prefix);
  return alias === undefined
    ? `interface ${name} {\n${members.trimEnd()}`
    : `interface ${alias} {\n${members}}`;
});
await writeFile(target, types);

function listMembers(prefix) {
  return Object.values(SETTINGS)
    .filter(({ option = "" }) => option.startsWith(prefix))
    .map((setting) => ({ setting, name: setting.option?.slice(prefix.length) ?? "" }))
    .filter(({ name }) => /^\w+$/.test(name))
    .map(({ setting, name }) => formatMember(name, setting))
    .join("");
}

function formatMember(name, setting) {
  const lines = [
    setting.description,
    ...(setting.variables.length === 0
      ? []
      : [`Environment: ${setting.variables.map((each) => `\`${each}\``).join(" or ")}.`]),
    ...(setting.default === undefined && setting.defaultText === undefined
      ? []
      : [`@default ${setting.defaultText ?? JSON.stringify(setting.default)}`]),
    ...(setting.description.startsWith("Deprecated") ? ["@deprecated"] : []),
  ];
  const comment = lines.map((line) => `   * ${line.replaceAll("*/", "*\\/")}\n`).join("");
  return `  /**\n${comment}   */\n  readonly ${name}?: OptionTypes["${setting.option}"] | undefined;\n`;
}
