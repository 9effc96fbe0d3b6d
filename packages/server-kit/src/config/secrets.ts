import { isRecord } from "./read-option.ts";
import type { Setting, SettingsTable, ValuesOf } from "./setting.ts";

/** Every configured text that must never be shown, wherever it was given. */
export function collectSecrets<Table extends SettingsTable>(
  table: Table,
  values: ValuesOf<Table>,
): readonly string[] {
  return Object.entries(table)
    .flatMap(([name, setting]) => readSecrets(setting, values[name]))
    .filter((text) => text !== "");
}

function readSecrets(setting: Setting<unknown>, value: unknown): readonly string[] {
  if (setting.secret !== true || value === undefined) return [];
  return setting.secretTexts?.(value) ?? listTexts(value);
}

function listTexts(value: unknown): readonly string[] {
  if (typeof value === "string") return [value];
  if (Array.isArray(value)) return value.flatMap(listTexts);
  return isRecord(value) ? Object.values(value).flatMap(listTexts) : [];
}
