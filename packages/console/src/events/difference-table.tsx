import type { Difference } from "./compare-states.ts";
import { describePath, describeValue } from "./describe-value.ts";
import "./events.css";

interface DifferenceTableProps {
  readonly differences: readonly Difference[];
  /** The heading above the states before; undefined if there are none, as for something new. */
  readonly before?: string;
  /** The heading above the states after; undefined if there are none, as for something deleted. */
  readonly after?: string;
}

/** The fields in which two states differ. */
export function DifferenceTable({ differences, before, after }: DifferenceTableProps) {
  return (
    <table className="table event-differences">
      <thead>
        <tr>
          <th scope="col">Field</th>
          {before === undefined ? null : <th scope="col">{before}</th>}
          {after === undefined ? null : <th scope="col">{after}</th>}
        </tr>
      </thead>
      <tbody>
        {differences.map((difference, index) => (
          // oxlint-disable-next-line react/no-array-index-key -- two entries of a list can have the same path
          <tr key={index}>
            <th scope="row">
              {difference.path.length === 0 ? "value" : describePath(difference.path)}
            </th>
            {before === undefined ? null : (
              <td className="event-before">{describeValue(difference.before)}</td>
            )}
            {after === undefined ? null : (
              <td className="event-after">{describeValue(difference.after)}</td>
            )}
          </tr>
        ))}
      </tbody>
    </table>
  );
}
