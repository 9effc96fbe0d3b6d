import { useState } from "react";
import { Checkbox, TextField } from "../ui/fields.tsx";
import { NumberField } from "../ui/number-field.tsx";
import { ownValue } from "../ui/own-value.ts";
import { useUpdates } from "../ui/list-editing.ts";
import { PercentageSlider } from "../ui/slider.tsx";
import type { Strategy, StrategyType } from "../api/types.ts";
import { StickinessField } from "./stickiness-field.tsx";
import {
  type Parameter,
  parametersOf,
  parseListParameter,
  ROLLOUT,
  wholePercentage,
} from "./strategy-labels.ts";
import "./strategies.css";
import { describeCount } from "../ui/numbers.ts";

type Parameters = Strategy["parameters"];

interface StrategyParametersProps {
  readonly name: string;
  readonly types: readonly StrategyType[];
  readonly value: Parameters;
  readonly onChange: (parameters: Parameters) => void;
}

/** The parameters of a strategy, by its type. */
export function StrategyParameters({ name, types, value, onChange }: StrategyParametersProps) {
  const update = useUpdates(value, onChange);
  const set = (parameter: string, text: string): void =>
    update((latest) => ({ ...latest, [parameter]: text }));
  if (name === ROLLOUT) return <RolloutParameters value={value} set={set} />;
  return parametersOf(name, types).map((parameter) => (
    <ParameterField
      key={parameter.name}
      parameter={parameter}
      value={ownValue(value, parameter.name) ?? ""}
      onChange={(text) => set(parameter.name, text)}
    />
  ));
}

interface RolloutParametersProps {
  readonly value: Parameters;
  readonly set: (parameter: string, text: string) => void;
}

function RolloutParameters({ value, set }: RolloutParametersProps) {
  return (
    <>
      <RolloutField
        label="Rollout"
        value={value["rollout"] ?? "100"}
        onChange={(text) => set("rollout", text)}
      />
      <div className="strategy-fields">
        <StickinessField
          label="Stickiness"
          value={value["stickiness"] ?? "default"}
          onChange={(stickiness) => set("stickiness", stickiness)}
          description="Contexts with the same value get the same result."
        />
        <TextField
          label="Group id"
          value={value["groupId"] ?? ""}
          onChange={(text) => set("groupId", text)}
          description="Flags with the same group id are on for the same users."
        />
      </div>
    </>
  );
}

interface ParameterFieldProps {
  readonly parameter: Parameter;
  readonly value: string;
  readonly onChange: (text: string) => void;
}

function ParameterField({ parameter, value, onChange }: ParameterFieldProps) {
  const { label, kind, description, isRequired } = parameter;
  const shared = { label, isRequired, ...(description !== "" && { description }) };
  switch (kind) {
    case "percentage":
      return <PercentageField label={label} value={value} step={0.01} onChange={onChange} />;
    case "rollout":
      return <RolloutField label={label} value={value} onChange={onChange} />;
    case "boolean":
      return (
        <Checkbox
          label={description === "" ? label : `${label}: ${description}`}
          isSelected={value === "true"}
          onChange={(isSelected) => onChange(String(isSelected))}
        />
      );
    case "number":
      return (
        <TextField
          {...shared}
          value={value}
          onChange={onChange}
          validate={(text) => (Number.isNaN(Number(text)) ? "Enter a number." : undefined)}
        />
      );
    case "list":
      return <ListParameterField parameter={parameter} value={value} onChange={onChange} />;
    case "text":
      return <TextField {...shared} value={value} onChange={onChange} />;
    default:
      return kind satisfies never;
  }
}

/** A list, one entry per line. Pasted entries may be separated by commas, as the service stores them. */
function ListParameterField({ parameter, value, onChange }: ParameterFieldProps) {
  const [text, setText] = useState(() => parseListParameter(value).join("\n"));
  const { label, description, isRequired } = parameter;
  return (
    <TextField
      label={label}
      description={`${description} ${describeCount(parseListParameter(text).length, "value")}.`.trim()}
      value={text}
      onChange={(changed) => {
        setText(changed);
        onChange(changed);
      }}
      rows={6}
      isCode
      isRequired={isRequired}
      validate={(typed) =>
        isRequired && parseListParameter(typed).length === 0
          ? "Enter at least one value."
          : undefined
      }
    />
  );
}

interface RolloutFieldProps {
  readonly label: string;
  readonly value: string;
  readonly onChange: (text: string) => void;
}

/** A rollout in whole percent: SDKs and the proxy divide users into 100 groups. */
function RolloutField({ value, ...props }: RolloutFieldProps) {
  return <PercentageField {...props} value={String(wholePercentage(value))} step={1} />;
}

interface PercentageFieldProps extends RolloutFieldProps {
  readonly step: number;
}

/** A percentage as a slider, with a field for exact values. */
function PercentageField({ label, value, step, onChange }: PercentageFieldProps) {
  const percentage = Number.isNaN(Number(value)) ? 0 : Number(value);
  return (
    <div className="strategy-percentage">
      <PercentageSlider
        label={label}
        value={percentage}
        onChange={(changed) => onChange(String(changed))}
      />
      <NumberField
        label="Percentage"
        value={percentage}
        minValue={0}
        maxValue={100}
        step={step}
        onChange={(changed) => onChange(String(Number.isNaN(changed) ? 0 : changed))}
      />
    </div>
  );
}
