// What this browser remembers of the choices of its user.

const PROJECT_KEY = "flags.project";

/** Returns the project that was opened last in this browser. */
export function rememberedProject(): string | null {
  return readStored(PROJECT_KEY);
}

export function rememberProject(project: string): void {
  writeStored(PROJECT_KEY, project);
}

export type Theme = "system" | "light" | "dark";

const THEME_KEY = "flags.theme";

/** Returns the theme that the user has chosen. */
export function readTheme(): Theme {
  const theme = readStored(THEME_KEY);
  return theme === "light" || theme === "dark" ? theme : "system";
}

/** Applies the theme to the page and remembers it. */
export function applyTheme(theme: Theme): void {
  const { dataset } = document.documentElement;
  if (theme === "system") delete dataset["theme"];
  else dataset["theme"] = theme;
  writeStored(THEME_KEY, theme);
}

const COLUMNS_KEY = "flags.hidden-columns";

/** Returns the ids of the columns that the user has hidden in lists of flags. */
export function readHiddenColumns(): ReadonlySet<string> {
  try {
    const ids: unknown = JSON.parse(readStored(COLUMNS_KEY) ?? "[]");
    return new Set(Array.isArray(ids) ? ids.filter((id) => typeof id === "string") : []);
  } catch {
    return new Set();
  }
}

export function rememberHiddenColumns(ids: ReadonlySet<string>): void {
  writeStored(COLUMNS_KEY, JSON.stringify([...ids]));
}

const SDK_KEY = "flags.sdk";

/** Returns the id of the SDK whose code was shown last. */
export function readSdk(): string | null {
  return readStored(SDK_KEY);
}

export function rememberSdk(id: string): void {
  writeStored(SDK_KEY, id);
}

const FIRST_STEPS_KEY = "flags.hides-first-steps";

export function hasHiddenFirstSteps(): boolean {
  return readStored(FIRST_STEPS_KEY) !== null;
}

export function rememberHiddenFirstSteps(): void {
  writeStored(FIRST_STEPS_KEY, "true");
}

/** Returns what this browser remembers; null if nothing, or if it may not store anything. */
function readStored(key: string): string | null {
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
}

/** Remembers a choice in this browser. Without storage, it lasts until the page is closed. */
function writeStored(key: string, value: string): void {
  try {
    localStorage.setItem(key, value);
  } catch {
    // Everything works without it.
  }
}
