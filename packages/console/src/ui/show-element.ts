/** Scrolls to an element if it is not visible, for example one that was added at the end of a dialog. */
export function showElement(element: HTMLElement | null): void {
  element?.scrollIntoView({ block: "nearest" });
}
