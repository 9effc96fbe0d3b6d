import { isRecord } from "../json.ts";
import { REDACTED } from "../logging/redact.ts";
import type { Setting, SettingsTable, ValuesOf } from "./setting.ts";

/** Returns the settings that have a value, for the log: without secrets, and with names in place of code. */
export function showSettings<Table extends SettingsTable>(
  table: Table,
  values: ValuesOf<Table>,
): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    Object.entries(table)
      .filter(([name]) => values[name] !== undefined)
      .map(([name, setting]) => [
        setting.variables[0] ?? setting.option ?? name,
        setting.secret === true ? showSecret(setting, values[name]) : showValue(values[name]),
      ]),
  );
}

function showSecret(setting: Setting<unknown>, value: unknown): unknown {
  if (Array.isArray(value)) return value.map(() => REDACTED);
  if (isRecord(value) && Object.keys(value).length === 0) return value;
  const containsSecret = setting.secretTexts !== undefined;
  const isAddress = containsSecret && typeof value === "string" && SCHEME.test(value);
  return isAddress ? redactAddress(value) : REDACTED;
}

function showValue(value: unknown): unknown {
  if (typeof value === "string") return SCHEME.test(value) ? redactAddress(value) : value;
  if (Array.isArray(value)) return value.map(showValue);
  if (value instanceof RegExp) return String(value);
  if (isTexts(value)) return value;
  if (isRecord(value) && typeof value["name"] === "string") return value["name"];
  return ["object", "function"].includes(typeof value) ? "set in code" : value;
}

function isTexts(value: unknown): boolean {
  return isRecord(value) && Object.values(value).every((text) => typeof text === "string");
}

const SCHEME = /^[a-z][a-z0-9+.-]*:\/\//i;

function redactAddress(address: string): string {
  if (!URL.canParse(address)) return REDACTED;
  const { protocol, username, password, host, pathname, search, hash } = new URL(address);
  const user = `${username}${password}` === "" ? "" : `${REDACTED}@`;
  const query = `${search}${hash}` === "" ? "" : `?${REDACTED}`;
  return `${user}${query}` === "" ? address : `${protocol}//${user}${host}${pathname}${query}`;
}
