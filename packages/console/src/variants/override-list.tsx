import type { FlagVariant } from "../api/types.ts";
import { formatCount } from "../ui/numbers.ts";

const SHOWN_VALUES = 5;

/** The contexts that get a certain variant regardless of its share. */
export function OverrideList({ variants }: { readonly variants: readonly FlagVariant[] }) {
  const overrides = variants.flatMap(({ name, overrides: own = [] }) =>
    own.map((override) => ({ ...override, name })),
  );
  if (overrides.length === 0) return null;
  return (
    <ul className="variant-overrides">
      {overrides.map(({ name, contextName, values }, index) => (
        // Nothing but the position identifies an override.
        <li key={index}>
          Always {name}: {contextName} is one of {values.slice(0, SHOWN_VALUES).join(", ")}
          {values.length > SHOWN_VALUES ? (
            <span className="muted"> (+{formatCount(values.length - SHOWN_VALUES)})</span>
          ) : null}
        </li>
      ))}
    </ul>
  );
}
