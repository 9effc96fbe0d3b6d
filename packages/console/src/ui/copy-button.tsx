import { Check, Copy } from "lucide-react";
import { useState } from "react";
import { IconButton } from "./button.tsx";
import { showToast } from "./toast.tsx";

interface CopyButtonProps {
  /** What is copied, for example "Copy the name". */
  readonly label: string;
  readonly text: string;
}

/** Copies text to the clipboard. */
export function CopyButton({ label, text }: CopyButtonProps) {
  const [isCopied, setCopied] = useState(false);
  const copy = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(text);
      setCopied(true);
    } catch {
      // NOTE: browsers allow it only on pages with HTTPS or on this computer. The message does not contain the
      // text, which can be a secret.
      showToast({
        kind: "error",
        text: "This browser does not allow copying here: select the text and copy it yourself",
      });
    }
  };
  return (
    <IconButton
      label={isCopied ? "Copied" : label}
      onPress={() => void copy()}
      onBlur={() => setCopied(false)}
    >
      {isCopied ? <Check aria-hidden /> : <Copy aria-hidden />}
    </IconButton>
  );
}
