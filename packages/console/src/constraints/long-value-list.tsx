import { useVirtualizer } from "@tanstack/react-virtual";
import { X } from "lucide-react";
import { useMemo, useRef, useState } from "react";
import { Button as AriaButton } from "react-aria-components/Button";
import { Button } from "../ui/button.tsx";
import { SearchField } from "../ui/fields.tsx";
import { describeCount } from "../ui/numbers.ts";
import { containsText } from "./values.ts";
import "./long-lists.css";

/** As in the style sheet. */
const ROW_HEIGHT = 36;

interface LongValueListProps {
  readonly values: readonly string[];
  readonly onChange: (values: readonly string[]) => void;
}

/** Finds and removes values of a list of thousands. Only the visible ones are rendered. */
export function LongValueList({ values, onChange }: LongValueListProps) {
  const [query, setQuery] = useState("");
  const scroller = useRef<HTMLDivElement>(null);
  const found = useMemo(
    () => (query.trim() === "" ? values : values.filter((value) => containsText(value, query))),
    [values, query],
  );
  const remove = (removed: ReadonlySet<string>): void => {
    onChange(values.filter((value) => !removed.has(value)));
    // The focused button disappears.
    scroller.current?.focus();
  };
  const rows = useVirtualizer({
    count: found.length,
    estimateSize: () => ROW_HEIGHT,
    overscan: 10,
    getScrollElement: () => scroller.current,
    getItemKey: (index) => found[index] ?? index,
  });
  return (
    <>
      {/* NOTE: Enter would otherwise submit the form. */}
      <div
        className="row"
        onKeyDown={(event) => void (event.key === "Enter" && event.preventDefault())}
      >
        <SearchField label="Search the values" value={query} onChange={setQuery} />
      </div>
      {query.trim() === "" ? null : (
        <div className="row" role="status">
          <span className="muted">
            {found.length === 0
              ? "No value matches."
              : `${describeCount(found.length, "value")} found`}
          </span>
          {found.length > 1 ? (
            <Button
              size="small"
              onPress={() => {
                remove(new Set(found));
                setQuery("");
              }}
            >
              Remove these {describeCount(found.length, "value")}
            </Button>
          ) : null}
        </div>
      )}
      <div
        ref={scroller}
        className="long-value-list"
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- so that the keyboard can scroll it
        tabIndex={0}
        role="region"
        aria-label="Values"
        hidden={found.length === 0}
      >
        <ul style={{ height: rows.getTotalSize() }}>
          {rows.getVirtualItems().map(({ index, start }) => {
            const value = found[index];
            if (value === undefined) return null;
            return (
              <li
                key={value}
                aria-posinset={index + 1}
                aria-setsize={found.length}
                style={{ transform: `translateY(${start}px)` }}
              >
                <span className="long-value-text" title={value}>
                  {value}
                </span>
                <AriaButton
                  className="button button-quiet button-icon"
                  aria-label={`Remove ${value}`}
                  onPress={() => remove(new Set([value]))}
                >
                  <X aria-hidden />
                </AriaButton>
              </li>
            );
          })}
        </ul>
      </div>
    </>
  );
}
