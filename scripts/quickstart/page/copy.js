const SHOWN_MS = 1500;

/** Makes a button copy text to the clipboard, and say so. */
export function copyOnClick(button, getText) {
  const label = button.textContent;
  button.addEventListener("click", async () => {
    // The clipboard requires a secure context or permission.
    const isCopied = await navigator.clipboard?.writeText(getText()).then(
      () => true,
      () => false,
    );
    button.textContent = isCopied ? "Copied" : "Not allowed";
    setTimeout(() => (button.textContent = label), SHOWN_MS);
  });
}
