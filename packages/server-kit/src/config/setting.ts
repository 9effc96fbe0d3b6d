import type { Kind } from "./kinds/kind.ts";

/** One thing a program can be told: where it is read, what it may be and what it means. */
export interface Setting<T, Default extends T | undefined = T | undefined> {
  /** Heading under which it is shown. */
  readonly group: string;
  /** Name in code, groups written with a dot; undefined for what only the environment says. */
  readonly option?: string;
  /** Variables of the environment, the first that is set counts. */
  readonly variables: readonly string[];
  readonly kind: Kind<T>;
  readonly fallback: Default;
  /** The default in words, where its value does not say enough. */
  readonly shownFallback?: string;
  readonly required?: boolean;
  /** The value must never be shown. */
  readonly secret?: boolean;
  /** The texts in a secret value that must never be shown. @default the value, or all it holds */
  secretTexts?(value: T): readonly string[];
  /** What it does, in sentences. */
  readonly meaning: string;
}

/** Every setting of a program, by the name it has in code. */
export type SettingsTable = Readonly<Record<string, Setting<unknown>>>;

/** What a setting comes to: what its kind yields, or its default. */
export type ValueOfSetting<S> = S extends Setting<infer T, infer Default> ? T | Default : never;

/** What all settings of a table come to. */
export type ValuesOf<Table extends SettingsTable> = {
  readonly [Name in keyof Table]: ValueOfSetting<Table[Name]>;
};

/** Keeps the exact type of a setting's value and default. */
export function defineSetting<T, const Default extends T | undefined>(
  setting: Setting<T, Default>,
): Setting<T, Default> {
  return setting;
}

/** The default of a setting in words. */
export function describeFallback({ fallback, shownFallback }: Setting<unknown>): string {
  if (shownFallback !== undefined) return shownFallback;
  if (fallback === undefined) return "none";
  return Array.isArray(fallback) ? fallback.join(", ") : `${fallback as string | number | boolean}`;
}

/** How a setting is called in messages: by what a reader can change. */
export function nameSetting({ option, variables }: Setting<unknown>): string {
  const [variable] = variables;
  if (variable === undefined) return `Option ${option}`;
  return option === undefined ? variable : `${variable} (option ${option})`;
}
