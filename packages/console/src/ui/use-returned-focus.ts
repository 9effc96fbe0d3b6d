import { useEffect, useState } from "react";

const DIALOG = ".dialog";

/** What had the focus before the open dialogs. */
let origin: HTMLElement | null = null;

/**
 * Returns the focus to where it was before a dialog was opened. The component library does this for a single
 * dialog, but not for one that replaces another, such as the form that appears when its data has been loaded, and
 * not if the button has disappeared.
 */
export function useReturnedFocus(): void {
  // NOTE: while rendering, because later the focus is already within the dialog.
  useState(rememberOrigin);
  useEffect(
    () => () => {
      // The component library moves the focus in the next frame.
      requestAnimationFrame(() => requestAnimationFrame(returnFocus));
    },
    [],
  );
}

function rememberOrigin(): void {
  if (document.querySelector(DIALOG) !== null) return;
  const focused = document.activeElement;
  const menu = focused?.closest("[role=menu]");
  if (menu === null || menu === undefined) {
    origin = focused instanceof HTMLElement ? focused : null;
  } else {
    // The menu is gone by then; the button that opened it is not.
    origin = document.getElementById(menu.getAttribute("aria-labelledby") ?? "");
  }
}

function returnFocus(): void {
  if (document.activeElement !== document.body || document.querySelector(DIALOG) !== null) return;
  const target = origin?.isConnected === true ? origin : document.getElementById("content");
  target?.focus();
}
