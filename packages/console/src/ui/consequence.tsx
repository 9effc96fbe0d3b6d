import { TriangleAlert } from "lucide-react";
import "./consequence.css";

/** What a button does to whom, beside it. */
export function Consequence({ text }: { readonly text: string | undefined }) {
  if (text === undefined) return null;
  return (
    <p className="consequence" role="status">
      <TriangleAlert aria-hidden /> {text}
    </p>
  );
}
