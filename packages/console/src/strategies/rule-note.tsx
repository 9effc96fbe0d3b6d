import { Info } from "lucide-react";
import type { ReactNode } from "react";
import "./strategies.css";

/** Says at a rule that it does not do what it seems to do. */
export function RuleNote({ children }: { readonly children: ReactNode }) {
  return (
    <p className="rule-note">
      <Info aria-hidden />
      <span>{children}</span>
    </p>
  );
}
