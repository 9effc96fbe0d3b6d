/** Returns what this browser remembers; null if nothing, or if it may not store anything. */
export function readStored(key: string): string | null {
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
}

/** Remembers a choice in this browser. Without storage, it lasts until the page is closed. */
export function writeStored(key: string, value: string): void {
  try {
    localStorage.setItem(key, value);
  } catch {
    // Everything works without it.
  }
}
