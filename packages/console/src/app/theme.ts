import { readStored, writeStored } from "./browser-storage.ts";

export type Theme = "system" | "light" | "dark";

const KEY = "flags.theme";

/** Returns the colours that the user has chosen. */
export function readTheme(): Theme {
  const theme = readStored(KEY);
  return theme === "light" || theme === "dark" ? theme : "system";
}

/** Shows the page in the colours and remembers them. */
export function applyTheme(theme: Theme): void {
  const { dataset } = document.documentElement;
  if (theme === "system") delete dataset["theme"];
  else dataset["theme"] = theme;
  writeStored(KEY, theme);
}
