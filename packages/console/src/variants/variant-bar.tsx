import type { Variant } from "../api/types.ts";
import { formatWeight } from "./weights.ts";
import "./variants.css";

interface VariantBarProps {
  readonly variants: readonly Pick<Variant, "name" | "weight">[];
}

/** The shares of variants, as a bar with a legend. */
export function VariantBar({ variants }: VariantBarProps) {
  return (
    <div className="variant-bar">
      <div className="variant-shares" aria-hidden>
        {variants.map(({ weight }, index) => (
          <span key={index} style={{ flexGrow: weight }} className="variant-share" />
        ))}
      </div>
      <ul className="variant-legend" aria-label="Variants">
        {variants.map(({ name, weight }, index) => (
          <li key={index}>
            <span className="variant-mark" aria-hidden />
            {name === "" ? "…" : name} <span className="muted">{formatWeight(weight)}</span>
          </li>
        ))}
      </ul>
    </div>
  );
}
