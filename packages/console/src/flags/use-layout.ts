import { type RefObject, useLayoutEffect, useState } from "react";

/** Full: all columns. Compact: without times. Stacked: the switches are below the name. */
type Layout = "full" | "compact" | "stacked";

const REM = 16;
/** Widths in pixels, as in the style sheet: what a name needs with its checkbox, a switch, and both times. */
const NAME_WIDTH = 16 * REM;
const ENVIRONMENT_WIDTH = 7 * REM;
const TIMES_WIDTH = 16 * REM;

/** Returns the layout for which a list has enough space, also after the window was resized. */
export function useLayout(list: RefObject<HTMLElement | null>, environments: number): Layout {
  const [width, setWidth] = useState(Number.POSITIVE_INFINITY);
  useLayoutEffect(() => {
    const element = list.current;
    if (element === null) return undefined;
    setWidth(element.clientWidth);
    const observer = new ResizeObserver(() => setWidth(element.clientWidth));
    observer.observe(element);
    return () => observer.disconnect();
  }, [list]);
  return chooseLayout(width, environments);
}

/** @param width of the list in pixels */
export function chooseLayout(width: number, environments: number): Layout {
  const needed = NAME_WIDTH + environments * ENVIRONMENT_WIDTH;
  if (width >= needed + TIMES_WIDTH) return "full";
  return width >= needed ? "compact" : "stacked";
}
