/** Colours to choose from. The service stores any text; applications do not receive it. */
export const TAG_COLOURS = [
  { id: "none", label: "No colour" },
  { id: "#6b7280", label: "Grey" },
  { id: "#dc2626", label: "Red" },
  { id: "#d97706", label: "Orange" },
  { id: "#15803d", label: "Green" },
  { id: "#0e7490", label: "Turquoise" },
  { id: "#2563eb", label: "Blue" },
  { id: "#7c3aed", label: "Violet" },
  { id: "#be185d", label: "Pink" },
] as const;

export type TagColour = (typeof TAG_COLOURS)[number]["id"];

/** Returns a colour that can be used in a style; undefined if the text is not a hexadecimal colour. */
export function toCssColour(colour: string | null): string | undefined {
  return colour !== null && /^#[0-9a-f]{6}$/i.test(colour) ? colour : undefined;
}
