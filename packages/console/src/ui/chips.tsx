import { Button } from "react-aria-components/Button";
import { Tag, TagGroup, TagList } from "react-aria-components/TagGroup";
import { X } from "lucide-react";
import "./chips.css";

interface ChipsProps {
  /** What the values are, for screen readers. */
  readonly label: string;
  readonly values: readonly string[];
  /** Omit it if the values cannot be removed. */
  readonly onRemove?: ((value: string) => void) | undefined;
}

/** A list of distinct strings. The key Delete removes the focused one. */
export function Chips({ label, values, onRemove }: ChipsProps) {
  return (
    <TagGroup
      aria-label={label}
      {...(onRemove !== undefined && {
        onRemove: (keys) => {
          for (const key of keys) onRemove(String(key));
        },
      })}
    >
      <TagList className="chips" items={values.map((id) => ({ id }))}>
        {({ id }) => (
          <Tag id={id} textValue={id} className="chip">
            <span className="chip-text">{id}</span>
            {onRemove === undefined ? null : (
              <Button slot="remove" className="chip-remove" aria-label="Remove">
                <X aria-hidden />
              </Button>
            )}
          </Tag>
        )}
      </TagList>
    </TagGroup>
  );
}
