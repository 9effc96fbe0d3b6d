import { formatCount } from "./numbers.ts";
import "./name-list.css";

const SHOWN = 10;

/** A list of names that shows only the first ones. */
export function NameList({ names }: { readonly names: readonly string[] }) {
  if (names.length === 0) return null;
  return (
    <ul className="name-list">
      {names.slice(0, SHOWN).map((name) => (
        <li key={name}>{name}</li>
      ))}
      {names.length > SHOWN ? <li>and {formatCount(names.length - SHOWN)} more</li> : null}
    </ul>
  );
}
