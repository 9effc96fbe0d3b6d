import { describeDistance, formatTime } from "./times.ts";

/** A point in time, relative to now; pointing at it shows the date. @param value ISO 8601 */
export function Time({ value }: { readonly value: string }) {
  return (
    <time dateTime={value} title={formatTime(value)}>
      {describeDistance(new Date(value).getTime() - Date.now())}
    </time>
  );
}
