import { Search } from "lucide-react";
import { useEffect, useState } from "react";
import { Button } from "../ui/button.tsx";
import { lazyPart } from "../ui/lazy-part.tsx";
import "./palette.css";

const PaletteDialog = lazyPart(async () => (await import("./palette-dialog.tsx")).PaletteDialog);

export interface PaletteProps {
  /** The project whose flags a new flag becomes one of. */
  readonly project: string;
  readonly pages: readonly { readonly to: string; readonly label: string }[];
}

/** The keys that open the palette, as keyboards name them. */
const SHORTCUT = /Mac|iP(hone|ad)/.test(navigator.userAgent) ? "⌘K" : "Ctrl K";

/** A button and a shortcut for a search across everything. */
export function Palette(props: PaletteProps) {
  const [isOpen, setOpen] = useState(false);
  useEffect(() => {
    const open = (event: KeyboardEvent): void => {
      const isShortcut = (event.ctrlKey || event.metaKey) && !event.shiftKey && !event.altKey;
      if (!isShortcut || event.key.toLowerCase() !== "k") return;
      // Browsers would otherwise search the web.
      event.preventDefault();
      // What is typed in a dialog must not get lost.
      if (document.querySelector(".dialog") === null) setOpen(true);
    };
    addEventListener("keydown", open);
    return () => removeEventListener("keydown", open);
  }, []);
  return (
    <>
      <Button aria-label={`Find ${SHORTCUT}`} onPress={() => setOpen(true)}>
        <Search aria-hidden />
        <span className="palette-hint">
          Find <kbd>{SHORTCUT}</kbd>
        </span>
      </Button>
      {isOpen ? <PaletteDialog {...props} onClose={() => setOpen(false)} /> : null}
    </>
  );
}
