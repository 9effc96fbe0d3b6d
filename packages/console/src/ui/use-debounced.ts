import { useEffect, useState } from "react";

/** How long typing has to pause before the service is searched. */
const PAUSE_MS = 300;

/** Returns the text as it was before the last pause in typing. */
export function useDebounced(text: string): string {
  const [current, setCurrent] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setCurrent(text), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [text]);
  return current;
}
