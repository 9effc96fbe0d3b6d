import { Label } from "react-aria-components/Label";
import {
  Slider as AriaSlider,
  SliderOutput,
  SliderThumb,
  SliderTrack,
} from "react-aria-components/Slider";
import { formatPercent } from "./numbers.ts";
import "./slider.css";

interface PercentageSliderProps {
  readonly label: string;
  /** From 0 to 100. */
  readonly value: number;
  readonly onChange: (value: number) => void;
}

/** A percentage, set by dragging or with the arrow keys. */
export function PercentageSlider({ label, value, onChange }: PercentageSliderProps) {
  return (
    <AriaSlider
      className="slider"
      value={value}
      onChange={onChange}
      minValue={0}
      maxValue={100}
      formatOptions={{ style: "unit", unit: "percent", maximumFractionDigits: 2 }}
    >
      <div className="slider-text">
        <Label>{label}</Label>
        <SliderOutput>{() => formatPercent(value)}</SliderOutput>
      </div>
      <SliderTrack className="slider-track">
        {({ state }) => (
          <>
            <div className="slider-fill" style={{ width: `${state.getThumbPercent(0) * 100}%` }} />
            <SliderThumb className="slider-thumb" />
          </>
        )}
      </SliderTrack>
    </AriaSlider>
  );
}
