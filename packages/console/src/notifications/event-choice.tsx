import { useState } from "react";
import { EVENT_WORDS } from "../../../admin/src/event-words/event-words.ts";
import { Button } from "../ui/button.tsx";
import { CheckboxList } from "../ui/checkbox-list.tsx";
import { Checkbox } from "../ui/fields.tsx";
import { ownValue } from "../ui/own-value.ts";
import { GROUPS, isAll } from "./describe-notification.ts";

interface EventChoiceProps {
  /** Types of events; nothing means all. */
  readonly value: readonly string[];
  readonly onChange: (types: readonly string[]) => void;
}

/** A choice of events, by group or one by one. */
export function EventChoice({ value, onChange }: EventChoiceProps) {
  const [opened, setOpened] = useState<readonly string[]>([]);
  const all = GROUPS.flatMap(({ types }) => types);
  const chosen = isAll(value) ? all : value;
  const choose = (types: readonly string[]): void =>
    onChange(types.length === all.length ? ["*"] : types);
  return (
    <fieldset className="event-choice">
      <legend>Events</legend>
      {GROUPS.map(({ name, types }) => {
        const count = types.filter((type) => chosen.includes(type)).length;
        const others = chosen.filter((type) => !types.includes(type));
        const label = name.charAt(0).toUpperCase() + name.slice(1);
        const isOpened = opened.includes(name);
        return (
          <div key={name} className="event-group">
            <div className="event-group-head">
              <Checkbox
                label={label}
                isSelected={count === types.length}
                isIndeterminate={count > 0 && count < types.length}
                onChange={(isSelected) => choose(isSelected ? [...others, ...types] : others)}
              />
              <span className="muted">
                {count} of {types.length}
              </span>
              <Button
                size="small"
                aria-expanded={isOpened}
                aria-label={`${isOpened ? "Hide" : "Choose"} events of ${name}`}
                onPress={() =>
                  setOpened(isOpened ? opened.filter((each) => each !== name) : [...opened, name])
                }
              >
                {isOpened ? "Hide" : "Choose"}
              </Button>
            </div>
            {isOpened ? (
              <CheckboxList
                label={`Events of ${name}`}
                choices={types.map((type) => ({ id: type, label: labelOf(type) }))}
                value={chosen.filter((type) => types.includes(type))}
                onChange={(selected) => choose([...others, ...selected])}
              />
            ) : null}
          </div>
        );
      })}
      {value.length === 0 ? <p className="muted">Without a choice, all are meant.</p> : null}
    </fieldset>
  );
}

export function labelOf(type: string): string {
  return ownValue(EVENT_WORDS, type)?.label ?? type;
}
