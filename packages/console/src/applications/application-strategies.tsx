import { describeStrategyType } from "../strategies/strategy-types.ts";
import { Badge } from "../ui/badge.tsx";
import { Banner } from "../ui/banner.tsx";

interface ApplicationStrategiesProps {
  /** The strategy types that the SDK of the application knows. */
  readonly strategies: readonly string[];
  /** The ones among them that this service does not know. */
  readonly missing: readonly string[];
}

export function ApplicationStrategies({ strategies, missing }: ApplicationStrategiesProps) {
  if (strategies.length === 0) return null;
  return (
    <section className="card card-body" aria-label="Strategies">
      <h2>Strategies</h2>
      <p className="muted">The types of strategies that the application can evaluate.</p>
      <div className="row">
        {strategies.map((name) => (
          <Badge key={name} kind={missing.includes(name) ? "warning" : "neutral"}>
            {describeStrategyType(name, []).name}
          </Badge>
        ))}
      </div>
      {missing.length === 0 ? null : (
        <Banner kind="info">
          This service has no strategy type {missing.join(", ")}, so flags cannot use it. Create it
          with <code>POST /api/admin/strategies</code>.
        </Banner>
      )}
    </section>
  );
}
