/** Scrolls to an element if it is not visible, for example one that was added at the end of a dialog. */
export function showElement(element: HTMLElement | null): void {
  element?.scrollIntoView({ block: "nearest" });
}

/** The width below which results are below the form rather than next to it, as in the style sheets. */
const NARROW = "(max-width: 64rem)";

/** Scrolls to the results if they are below the form. */
export function showResults(results: Element | null): void {
  if (matchMedia(NARROW).matches) results?.scrollIntoView({ block: "start" });
}
