import { Link } from "@tanstack/react-router";
import type { StrategyReference } from "../api/types.ts";
import "./strategy-references.css";

interface StrategyReferencesProps {
  readonly references: readonly StrategyReference[];
}

/** Links to the flags whose strategies use something, with their environments. */
export function StrategyReferences({ references }: StrategyReferencesProps) {
  const names = [...new Set(references.map(({ featureName }) => featureName))];
  return (
    <>
      <p>Strategies of these flags:</p>
      <ul className="strategy-references">
        {names.map((flag) => {
          const ofFlag = references.filter(({ featureName }) => featureName === flag);
          const environments = new Set(ofFlag.map(({ environment }) => environment));
          return (
            <li key={flag}>
              <Link
                to="/projects/$project/flags/$flag"
                params={{ project: ofFlag[0]?.projectId ?? "", flag }}
              >
                {flag}
              </Link>{" "}
              <span className="muted">in {[...environments].join(", ")}</span>
            </li>
          );
        })}
      </ul>
    </>
  );
}
