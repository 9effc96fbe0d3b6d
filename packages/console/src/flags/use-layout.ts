import { type RefObject, useLayoutEffect, useState } from "react";

/** Full: all columns. Compact: the times are below the name. Stacked: so are the switches. */
type Layout = "full" | "compact" | "stacked";

const REM = 16;
/** Widths in pixels, as in the style sheet: what a name needs with its checkbox, and any other column. */
const NAME_WIDTH = 13 * REM;
const COLUMN_WIDTH = 6 * REM;

/** Returns the layout for which a list has enough space, also after the window was resized. */
export function useLayout(
  list: RefObject<HTMLElement | null>,
  environments: number,
  times: number,
): Layout {
  const [width, setWidth] = useState(Number.POSITIVE_INFINITY);
  useLayoutEffect(() => {
    const element = list.current;
    if (element === null) return undefined;
    setWidth(element.clientWidth);
    const observer = new ResizeObserver(() => setWidth(element.clientWidth));
    observer.observe(element);
    return () => observer.disconnect();
  }, [list]);
  return chooseLayout(width, environments, times);
}

/** @param width of the list in pixels */
export function chooseLayout(width: number, environments: number, times: number): Layout {
  const needed = NAME_WIDTH + environments * COLUMN_WIDTH;
  if (width >= needed + times * COLUMN_WIDTH) return "full";
  return width >= needed ? "compact" : "stacked";
}
